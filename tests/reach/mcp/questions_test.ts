import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { call } from "../../runtime/executions/executions_of.ts";
import { payloadsOf, toEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { createMcpWorld, textOfResult } from "./mcp_world.ts";

const EXPOSED = "expose: true\ndescription: Asks.";
const asking = (args: object) => [
  { call: [call("ask_user", args)] },
  { say: "Took {result}" },
];
const WITH_FORMS = { capabilities: { elicitation: { form: {} } } };

/** Sets the answers of the client's person, and returns the messages and schemas of the questions. */
function answering(client: Client, answers: readonly object[]) {
  const asked: { message: string; schema: unknown }[] = [];
  const left = [...answers];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    if (params.mode === "url") throw new TypeError("No address is expected");
    asked.push({ message: params.message, schema: params.requestedSchema });
    return Promise.resolve({ action: "decline" as const, ...left.shift() });
  });
  return asked;
}

Deno.test("a question becomes a form of its kind, and the answer continues the run", async () => {
  await using world = await createMcpWorld(async (place) => {
    const options = ["red", "blue"];
    await place.writeScript("text", asking({ question: "Which color?" }), EXPOSED);
    await place.writeScript("one", asking({ question: "Which one?", options }), EXPOSED);
    await place.writeScript("twice", [
      { call: [call("ask_user", { question: "First?" })] },
      { call: [call("ask_user", { question: "Second?" })] },
      { say: "Took {result}" },
    ], EXPOSED);
  });
  let asked: { message: string; schema: unknown }[] = [];
  const client = await world.connect(WITH_FORMS, (client) => {
    asked = answering(client, [
      { action: "accept", content: { text: "green" } },
      { action: "accept", content: { selected: "purple" } },
      { action: "accept", content: { selected: "blue" } },
      { action: "accept", content: { text: "a" } },
      { action: "accept", content: { text: "b" } },
      { action: "cancel" },
    ]);
  });
  const ask = async (name: string) =>
    textOfResult(await client.callTool({ name, arguments: { message: "Go" } }));
  assert.equal(await ask("text"), "Took green");
  assert.equal(await ask("one"), "Took blue", "an answer that does not fit is asked for again");
  assert.equal(await ask("twice"), "Took b");
  assert.match(await ask("text"), /^Execution 4 waits for an answer.*Which color\?/);
  assert.deepEqual(asked.map(({ message }) => message), [
    ...["text asks: Which color?", "one asks: Which one?", "one asks: Which one?"],
    ...["twice asks: First?", "twice asks: Second?", "text asks: Which color?"],
  ]);
  assert.deepEqual((asked[1]?.schema as { properties: unknown }).properties, {
    selected: { type: "string", title: "Choice", enum: ["red", "blue"] },
  });
  const places = (await payloadsOf(world.runtime, 1)).flatMap((one) => one["answered_via"] ?? []);
  assert.deepEqual(places, ["program"]);
  assert.equal((await world.runtime.listExecutions({ limit: 9, offset: 0 })).length, 4);
});

Deno.test("a client without forms, or of the older protocol over HTTP, reads how to answer", async () => {
  for (const options of [{}, { ...WITH_FORMS, mode: "legacy" as const }]) {
    await using world = await createMcpWorld(async (place) => {
      await place.writeScript("text", asking({ question: "Which color?" }), EXPOSED);
    });
    const client = await world.connect(options, (client) => {
      if ("capabilities" in options) answering(client, []);
    });
    const waits = await client.callTool({ name: "text", arguments: { message: "Go" } });
    const [, given = ""] = /call respond with (\{.*?\}), then/.exec(textOfResult(waits)) ?? [];
    const args = JSON.parse(given.replace("the answer", '"green"'));
    const pending = textOfResult(await client.callTool({ name: "list_pending" }));
    assert.match(pending, /Execution 1 waits for an answer/);
    const answered = await client.callTool({ name: "respond", arguments: args });
    assert.equal(answered.isError, undefined);
    await toEnd(world.runtime, 1);
    const got = await client.callTool({ name: "get_execution", arguments: { execution_id: 1 } });
    assert.equal(JSON.parse(textOfResult(got)).output, "Took green");
    const again = await client.callTool({ name: "respond", arguments: args });
    assert.deepEqual([again.isError, /does not wait/.test(textOfResult(again))], [true, true]);
  }
});

Deno.test("an approval is a person's, unless config.yaml says expose.respond", async () => {
  const write = [
    { call: [call("file_write", { path: "a.txt", content: "hello" })] },
    { say: "Done." },
  ];
  for (const isAllowed of [false, true]) {
    await using world = await createMcpWorld(async (place) => {
      await place.writeScript("writer", write, EXPOSED);
      const lines = `expose: { respond: ${isAllowed} }\n`;
      await Deno.writeTextFile(`${place.configDir}/config.yaml`, lines, { append: true });
    });
    let asked: { message: string }[] = [];
    const client = await world.connect(WITH_FORMS, (client) => {
      asked = answering(client, [{ action: "accept", content: { approved: true } }]);
    });
    const result = await client.callTool({ name: "writer", arguments: { message: "Go" } });
    if (isAllowed) {
      assert.equal(textOfResult(result), "Done.");
      assert.match(asked[0]?.message ?? "", /\na\.txt\n[^]*\+hello/, "the person sees the change");
      const second = await client.callTool({ name: "writer", arguments: { message: "Go" } });
      assert.equal(textOfResult(second), "Done.", "a declined form denies");
      const [denied] = (await payloadsOf(world.runtime, 2)).filter((one) => one["answered_via"]);
      assert.equal(denied?.["content"], "Denied");
      continue;
    }
    assert.deepEqual(asked, []);
    assert.match(textOfResult(result), /Only a person can answer: with "inkling respond 1"/);
    const { requestId } = await world.runtime.pendingRequest(1);
    for (const answer of [{ approved: true }, { approved: false }]) {
      const refused = await client.callTool({
        name: "respond",
        arguments: { execution_id: 1, request_id: requestId, ...answer },
      });
      assert.deepEqual([refused.isError, /person must/.test(textOfResult(refused))], [true, true]);
    }
    assert.equal((await world.runtime.getExecution(1)).status, "waiting");
  }
});

Deno.test("a question that is answered elsewhere meanwhile does not stop the call", async () => {
  await using world = await createMcpWorld(async (place) => {
    await place.writeScript("text", asking({ question: "Which color?" }), EXPOSED);
  });
  const client = await world.connect(
    WITH_FORMS,
    (client) =>
      client.setRequestHandler("elicitation/create", async () => {
        const { requestId } = await world.runtime.pendingRequest(1);
        await world.runtime.respond(1, { requestId, answer: { text: "red" } });
        return { action: "accept", content: { text: "too late" } };
      }),
  );
  const result = await client.callTool({ name: "text", arguments: { message: "Go" } });
  assert.equal(textOfResult(result), "Took red");
});

Deno.test("a forged state reaches no execution of another agent, and starts no run", async () => {
  await using world = await createMcpWorld(async (place) => {
    await place.writeScript("text", asking({ question: "Which color?" }), EXPOSED);
    await place.writeScript("private", asking({ question: "Secret?" }));
  });
  const { id } = await world.runtime.run("private", {});
  await toEnd(world.runtime, id);
  const { requestId: request } = await world.runtime.pendingRequest(id);
  const client = await world.connect(WITH_FORMS);
  const forged = { execution: id, request, after: 0 };
  const params = {
    name: "text",
    arguments: { message: "x" },
    requestState: JSON.stringify(forged),
    inputResponses: { answer: { action: "accept", content: { text: "mine" } } },
  };
  const result = await client.request({ method: "tools/call", params });
  assert.match(textOfResult(result), /Execution not found/);
  assert.equal((await world.runtime.getExecution(id)).status, "waiting");
  assert.equal((await world.runtime.listExecutions({ limit: 9, offset: 0 })).length, 1);
});

Deno.test("a long run reports progress, and a cancelled call cancels its run", async () => {
  await using world = await createMcpWorld(async (place) => {
    await place.writeScript("worker", [
      { call: [call("memory_read", {})] },
      { call: [call("wait", { for: "1h", reason: "for a test" })] },
      { say: "Done." },
    ], EXPOSED);
  });
  const client = await world.connect();
  const progress: string[] = [];
  const stop = new AbortController();
  const called = client.callTool({ name: "worker", arguments: { message: "Go" } }, {
    signal: stop.signal,
    onprogress: ({ message = "" }) => progress.push(message),
  });
  await until(() => progress.some((one) => one.includes("Calls wait")), "the progress");
  stop.abort("no longer needed");
  await assert.rejects(async () => await called);
  const isOver = async () => (await world.runtime.getExecution(1)).status === "aborted";
  await until(isOver, "the cancelled run");
});
