// Tests /v1/responses with the real `openai` package.
import assert from "node:assert/strict";
import OpenAI from "openai";
import { call } from "../../runtime/executions/executions_of.ts";
import { served } from "../served.ts";
import { HOUR_MS } from "../../../base/time_units.ts";
import { runToEnd } from "../../support/test_workspace.ts";

const see = [{ type: "message" as const, role: "user" as const, content: "See" }];

Deno.test("a response has the reasoning, the calls with their results, the answer and the usage", async () => {
  await using on = await served((body) =>
    JSON.stringify(body.messages).includes('"tool"') ? { text: "<think>Hm.</think>Seen." } : {
      text: "Let me see.",
      toolCalls: [{ name: "memory_retrieve", arguments: {} }],
    }
  );
  const body = { model: "talk", input: "See", instructions: "Be short." };
  const response = await on.openai.responses.create(body);
  assert.equal(response.status, "completed");
  assert.equal(response.output_text, "Seen.");
  assert.deepEqual(response.output.map(({ type }) => type), ["mcp_call", "reasoning", "message"]);
  const [made] = response.output as OpenAI.Responses.ResponseOutputItem.McpCall[];
  assert.deepEqual([made?.name, made?.arguments], ["memory_retrieve", "{}"]);
  assert.ok(made?.output);
  assert.deepEqual([response.usage?.input_tokens, response.usage?.total_tokens], [20, 30]);
  assert.deepEqual(on.sent(0), [["user", "See\n\nContext:\nBe short."]]);

  const stream = on.openai.responses.stream(body);
  const seen: string[] = [];
  let text = "";
  for await (const event of stream) {
    if (seen.at(-1) !== event.type) seen.push(event.type);
    if (event.type === "response.output_text.delta") text += event.delta;
  }
  const final = await stream.finalResponse();
  assert.equal(final.status, "completed");
  const types = final.output.map(({ type }) => type).filter((type) => type !== "reasoning");
  assert.deepEqual(types, ["message", "mcp_call", "message"]);
  assert.ok(text.startsWith("Let me see.") && text.includes("Seen."), text);
  assert.deepEqual([seen[0], seen.at(-1)], ["response.created", "response.completed"]);
});

Deno.test("previous_response_id goes on where its run ended, also in two branches", async () => {
  await using on = await served();
  const ask = (input: string, previous?: string) =>
    on.openai.responses.create({
      model: "talk",
      input,
      ...(previous !== undefined && { previous_response_id: previous }),
    });
  const first = await ask("One");
  const left = await ask("Left", first.id);
  const right = await ask("Right", first.id);
  await ask("Deep", left.id);
  assert.deepEqual(on.sent(2), [["user", "One"], ["assistant", "Answer 1"], ["user", "Right"]]);
  assert.deepEqual(on.sent(3).map(([, content]) => content), [
    "One",
    "Answer 1",
    "Left",
    "Answer 2",
    "Deep",
  ]);
  assert.equal(right.previous_response_id, first.id);
  await assert.rejects(ask("x", "resp_99_0"), { status: 404 });
  await assert.rejects(ask("x", "resp_x"), { status: 404, param: "previous_response_id" });
  await on.client.run("hidden");
  const [hidden] = await on.client.executions({ agent: "hidden" });
  await assert.rejects(ask("x", `resp_${hidden?.id}_0`), { status: 404 });
});

Deno.test("the answer to a question of the previous response goes to its run", async () => {
  await using on = await served();
  await on.script("asker", [
    { call: [call("ask_user", { question: "Sure?", kind: "confirm" })] },
    { say: "Done." },
  ]);
  const first = await on.openai.responses.create({ model: "asker", input: "Go" });
  assert.match(first.output_text, /^Sure\?/);
  const second = await on.openai.responses.create({
    model: "asker",
    input: "yes",
    previous_response_id: first.id,
    stream: true,
  });
  const events = await Array.fromAsync(second);
  const last = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent;
  assert.equal(last.type, "response.completed");
  assert.notEqual(last.response.id, first.id);
  assert.equal((await on.client.executions({ agent: "asker" })).length, 1);
});

Deno.test("a response of a run that fails is an error, and response.failed in a stream", async () => {
  await using on = await served(() => ({ status: 401, body: '{"error":{"message":"bad key"}}' }));
  await assert.rejects(on.openai.responses.create({ model: "talk", input: see }), { status: 500 });
  const stream = await on.openai.responses.create({ model: "talk", input: see, stream: true });
  const last = (await Array.fromAsync(stream)).at(-1);
  assert.equal(last?.type, "response.failed");
  assert.match(JSON.stringify(last), /Run 2 ended with error/);
  for (
    const [body, param] of [
      [{ background: true }, "background"],
      [{ conversation: "conv_1" }, "conversation"],
      [{ tools: [{ type: "web_search" }] }, "tools"],
      [{ text: { format: { type: "json_object" } } }, "text.format"],
      [{ input: [{ type: "function_call_output", call_id: "c", output: "x" }] }, "input[0]"],
      [{ input: [] }, "input"],
    ] as const
  ) {
    const asked = { model: "talk", input: "Hi", ...body };
    await assert.rejects(on.openai.responses.create(asked as never), { status: 400, param });
  }
});

Deno.test("a response is read again while it runs, when it waits, and after its end, and is cancelled", async () => {
  await using on = await served();
  await on.script("slow", [{ say: "Late.", delay_ms: HOUR_MS }]);
  await on.script("asker", [
    { call: [call("ask_user", { question: "Sure?", kind: "confirm" })] },
    { say: "Done." },
  ]);
  const { responses } = on.openai;
  const answered = await responses.create({ model: "talk", input: "Hi" });
  const again = await responses.retrieve(answered.id);
  assert.deepEqual([again.id, again.status, again.output_text], [
    ...[answered.id, "completed", answered.output_text],
  ]);
  assert.deepEqual(again.usage, answered.usage);
  // The end of a run stays: the cancellation comes too late.
  assert.equal((await responses.cancel(answered.id)).status, "completed");

  const asked = await responses.create({ model: "asker", input: "Go" });
  assert.equal((await responses.retrieve(asked.id)).output_text, asked.output_text);

  const stream = await responses.create({ model: "slow", input: "Go", stream: true });
  let id = "";
  for await (const event of stream) {
    if (event.type === "response.created") id = event.response.id;
    if (event.type !== "response.in_progress") continue;
    assert.equal((await responses.retrieve(id)).status, "in_progress");
    assert.equal((await responses.cancel(id)).status, "cancelled");
  }
  const ended = await responses.retrieve(id);
  assert.deepEqual([ended.status, ended.error], ["cancelled", null]);

  const { id: hidden } = await runToEnd(on.runtime, "hidden");
  for (const unknown of [`resp_${hidden}_0`, "resp_99_0", "other"]) {
    await assert.rejects(responses.retrieve(unknown), { status: 404 });
    await assert.rejects(responses.cancel(unknown), { status: 404 });
  }
});
