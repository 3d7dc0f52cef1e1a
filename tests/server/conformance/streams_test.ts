// API conformance: the stream of one execution, and the stream of the service.
import assert from "node:assert/strict";
import { overBoth, overTcp as test, TIMESTAMP } from "./both_transports.ts";
import { until } from "../../support/until.ts";

/** A script with two tool calls, texts beside them, and an answer. */
const STEPS = [
  { say: "I look.", call: [{ name: "file_glob", arguments: { pattern: "*" } }] },
  { call: [{ name: "file_read", arguments: { path: "missing.txt" } }], delay_ms: 20 },
  { say: "Found nothing.", delay_ms: 20 },
];

overBoth(
  "live and replayed frames have the same bytes and the same ids",
  async ({ workspace, client, framesOf }) => {
    await workspace.writeScript("seeker", STEPS);
    await client.reload();
    const { execution_id } = await client.run("seeker");
    const live = await framesOf(execution_id);
    const replayed = await framesOf(execution_id);
    assert.deepEqual(replayed, live);
    const ids = live.map(({ id }) => id ?? 0);
    assert.ok(ids.every((id, n) => n === 0 || id > (ids[n - 1] ?? id)), "ids increase");
  },
);

test("a run logs execution_info first and complete last", async (on) => {
  await on.workspace.writeScript("seeker", STEPS, "name: The Seeker");
  await on.client.reload();
  const { id, output_data } = await on.runToEnd("seeker", { args: ["x"] });
  const frames = await on.framesOf(id);
  assert.deepEqual(
    frames.map(({ event, payload }) => `${event}/${payload["event_type"]}`),
    [
      "meta/execution_info",
      "message/system",
      "message/human",
      "tool_call/tool_call",
      "meta/stats",
      "tool_result/tool_result",
      "tool_call/tool_call",
      "meta/stats",
      "tool_result/tool_result",
      "ai/ai",
      "meta/stats",
      "final_answer/final_answer",
      "complete/complete",
    ],
  );
  for (const { payload } of frames) {
    assert.deepEqual(
      ["execution_id", "agent_id", "display_name", "agent_name"].map((name) => payload[name]),
      [id, "seeker", "The Seeker", "seeker"],
    );
    assert.match(String(payload["timestamp"]), TIMESTAMP);
    assert.equal(typeof payload["message"], "string");
  }
  const [info] = frames;
  assert.deepEqual(
    ["model", "trigger", "args", "session_id"].map((name) => info?.payload[name]),
    ["demo/script", "manual", ["x"], null],
  );
  const stats = frames.filter(({ payload }) => payload["event_type"] === "stats");
  const totals = stats.map(({ payload }) => Number(payload["total_tokens"]));
  assert.ok(totals.every((total, n) => n === 0 || total > (totals[n - 1] ?? total)), "accumulated");
  for (const { payload } of stats) {
    assert.equal(
      Number(payload["input_tokens"]) + Number(payload["output_tokens"]),
      payload["total_tokens"],
    );
    assert.ok("cost_usd" in payload);
  }
  const answer = frames.at(-2)?.payload;
  assert.deepEqual([answer?.["content"], answer?.["message"]], [output_data, output_data]);
  const call = frames[3]?.payload;
  const [tool] = call?.["tools"] as { id: string; name: string; args: string }[];
  assert.deepEqual([tool?.name, JSON.parse(tool?.args ?? "")], ["file_glob", { pattern: "*" }]);
  assert.equal(call?.["content"], "I look.");
  const result = frames[8]?.payload;
  assert.deepEqual([result?.["tool_name"], result?.["is_error"]], ["file_read", true]);
  assert.match(String(result?.["content"]), /^Error: /);
  const complete = frames.at(-1)?.payload;
  assert.deepEqual(["status", "error"].map((name) => complete?.[name]), ["success", null]);
  for (const name of ["duration_ms", "total_tokens", "cost_usd"]) {
    assert.ok(name in (complete ?? {}));
  }
});

test("no line of a stream contains U+0085, U+2028 or U+2029", async ({ workspace, client, call }) => {
  const text = "one\u2028two\u2029three\u0085four";
  await workspace.writeScript("asker", [
    { say: text, call: [{ name: "ask_user", arguments: { question: text } }] },
    { say: text },
  ]);
  await client.reload();
  const { execution_id } = await client.run("asker", { message: text });
  const frames = await Array.fromAsync(client.follow(execution_id, { deltas: true }));
  const waiting = frames.at(-1);
  assert.deepEqual([waiting?.event, waiting?.payload["message"]], ["waiting", text]);
  const { request_id } = await client.pending(execution_id);
  await client.respond(execution_id, { request_id, response: { text } });
  const rest = await Array.fromAsync(client.follow(execution_id, { deltas: true }));
  for (const { data } of [...frames, ...rest]) assert.doesNotMatch(data, /[\u0085\u2028\u2029]/);
  assert.equal((await client.execution(execution_id)).output_data, text);
  const replay = await call(`/executions/${execution_id}/stream`);
  assert.doesNotMatch(replay.text, /[\u0085\u2028\u2029]/);
});

test("a stream with a cursor above every id sends the later frames", async ({ workspace, client, call, runToEnd, framesOf }) => {
  await workspace.writeScript("asker", [
    { call: [{ name: "ask_user", arguments: { question: "Well?" } }] },
    { say: "Done." },
  ]);
  await client.reload();
  const { execution_id } = await client.run("asker");
  const seen = await framesOf(execution_id);
  assert.equal(seen.at(-1)?.event, "waiting");
  const { request_id } = await client.pending(execution_id);
  await client.respond(execution_id, { request_id, response: { text: "Yes." } });
  const frames = await Array.fromAsync(client.follow(execution_id, { after: 1_000_000 }));
  assert.equal(frames.at(-1)?.event, "complete");
  const { id } = await runToEnd("writer");
  const headers = { "last-event-id": "1000000" };
  const { text } = await call(`/executions/${id}/stream`, { headers });
  assert.deepEqual([...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name), ["complete"]);
});

test("a stream during a stop gets the result of a run that ends in time", async (on) => {
  await on.workspace.writeScript("slow", [{ delay_ms: 500, say: "Done." }]);
  await on.client.reload();
  const { execution_id } = await on.client.run("slow");
  const following = on.framesOf(execution_id);
  const hasBegun = async () => (await on.runtime.readFrames(execution_id, { after: 0 })).length > 1;
  await until(hasBegun, "it runs");
  await on.service.shutdown("requested");
  assert.equal((await following).at(-1)?.event, "complete");
  await on.restart();
  assert.equal((await on.framesOf(execution_id)).at(-1)?.event, "complete");
});

overBoth(
  "GET /events/stream reports executions and each change of an agent file once, and replays nothing",
  async ({ client, runToEnd, workspace }) => {
    await runToEnd("writer");
    const events = client.events();
    const first = events.next();
    await until(async () => (await client.info()).active_streams === 1, "1 open stream");
    const next = async () => (await events.next()).value;
    const { id, duration_ms } = await runToEnd("writer");
    const identity = {
      execution_id: id,
      agent_id: "writer",
      display_name: "The Writer",
      agent_name: "writer",
    };
    assert.deepEqual((await first).value, {
      event: "execution_started",
      payload: { ...identity, trigger: "manual" },
    });
    assert.deepEqual(await next(), {
      event: "execution_completed",
      payload: { ...identity, status: "success", duration_ms },
    });
    const change = (event: string, id: string) => ({
      event: "agents_changed",
      payload: { event, agent_id: id, display_name: "Helper", agent_name: id },
    });
    await workspace.writeScript("helper", [{ say: "x" }], "name: Helper");
    await client.reload();
    assert.deepEqual(await next(), change("loaded", "helper"));
    await workspace.writeScript("helper", [{ say: "y" }], "name: Helper");
    await client.reload();
    assert.deepEqual(await next(), change("updated", "helper"));
    const { agentsDir } = workspace;
    await Deno.rename(`${agentsDir}/helper.md`, `${agentsDir}/aide.md`);
    await client.reload();
    assert.deepEqual(await next(), change("removed", "helper"));
    assert.deepEqual(await next(), change("loaded", "aide"));
    await events.return();
  },
);
