// Tests runs whose request brings messages: a history of their own, an earlier conversation, and pictures.
import assert from "node:assert/strict";
import type { JsonObject } from "../../../../base/json.ts";
import type { RunRequest, Runtime } from "../../../../runtime/interface/runtime.ts";
import { OpenAiServer } from "../../../support/models/openai_server.ts";
import {
  createTestWorkspace,
  payloadsOf,
  runToEnd,
  toEnd,
} from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { assertIdentical } from "../../replay/replayed.ts";
import { answerToEnd, call, FREE, leaveRunning } from "../executions_of.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const HISTORY = [
  { role: "user", content: "My name is Ada." },
  { role: "assistant", content: "Hello Ada." },
] as const;

/** Opens a workspace with an agent `a` whose endpoint answers `Answer n`, or as `judge` says. */
async function openWorld(judge?: (body: JsonObject) => Record<string, unknown> | undefined) {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await createTestWorkspace());
  let count = 0;
  const server = stack.use(
    new OpenAiServer([], (body) => judge?.(body) ?? { text: `Answer ${++count}` }),
  );
  await place.writeAgent(
    "a",
    `---\nmodel: { provider: local, name: m, base_url: "${server.url}", input: [text, image] }\n` +
      `history: low\non_restart: resume\n${FREE}\n---\nTalk.\n`,
  );
  const owned = stack.move();
  return { place, server, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Returns the messages behind the system message of the endpoint's request `index`. */
function sent(server: OpenAiServer, index: number): [role: string, content: unknown][] {
  const messages = server.request(index).body.messages as { role: string; content: unknown }[];
  return messages.slice(1).map(({ role, content }) => [role, content]);
}

const done = (runtime: Runtime, request: RunRequest) => runToEnd(runtime, "a", request);

Deno.test("a run with a history of its own has exactly these messages, and no other run has it in its history", async () => {
  await using world = await openWorld();
  const { place, server } = world;
  await using runtime = await place.open();
  await done(runtime, { message: "Manual." });
  const own = await done(runtime, { message: "Who am I?", context: "Be short.", history: HISTORY });
  assert.deepEqual([own.status, own.trigger, own.sessionId], ["success", "manual", null]);
  assert.deepEqual(sent(server, 1), [
    ["user", "My name is Ada."],
    ["assistant", "Hello Ada."],
    ["user", "Who am I?\n\nContext:\nBe short."],
  ]);
  const told = await payloadsOf(runtime, own.id);
  assert.equal(told[0]?.["session_id"], null);
  const kinds = told.map((one) => one["event_type"]);
  assert.deepEqual(kinds.slice(0, 3), ["execution_info", "system", "human"]);
  await done(runtime, { message: "Empty.", history: [] });
  assert.deepEqual(sent(server, 2), [["user", "Empty."]]);
  await done(runtime, { message: "Again." });
  assert.deepEqual(sent(server, 3), [
    ["user", "Manual."],
    ["assistant", "Answer 1"],
    ["user", "Again."],
  ]);
  const labeled = await done(runtime, { message: "Labeled.", sessionId: "s", history: [] });
  assert.deepEqual([labeled.trigger, labeled.sessionId], ["manual", "s"]);
  await done(runtime, { message: "Chat.", sessionId: "s" });
  assert.deepEqual(sent(server, 5), [["user", "Chat."]]);
  await assertIdentical(runtime, own.id);
});

Deno.test("a run with a history of its own neither waits for other runs nor holds them", async () => {
  await using place = await createTestWorkspace();
  const ask = { call: [call("ask_user", { question: "Which?" })] };
  await place.writeScript("asker", [ask, { say: "Done." }]);
  await using runtime = await place.open();
  const first = await runToEnd(runtime, "asker", { message: "One" });
  assert.equal(first.status, "waiting");
  await assert.rejects(runtime.run("asker", { message: "Two" }), /waiting for a response/);
  const own = await runToEnd(runtime, "asker", { message: "Three", history: [] });
  assert.equal(own.status, "waiting");
  await answerToEnd(runtime, first.id, { text: "This" });
  assert.equal((await runToEnd(runtime, "asker", { message: "Four" })).status, "waiting");
  assert.equal((await answerToEnd(runtime, own.id, { text: "That" })).outputData, "Done.");
});

Deno.test("a run that continues an execution has its whole conversation, also twice and with the calls", async () => {
  await using world = await openWorld((body) =>
    JSON.stringify(body.messages).includes('"tool"') ? undefined : {
      toolCalls: [{ name: "memory_save", arguments: { section: "s", content: "c" } }],
    }
  );
  const { place, server } = world;
  await using runtime = await place.open();
  const first = await done(runtime, { message: "Remember.", history: [] });
  for (const message of ["Left", "Right"]) {
    const next = await done(runtime, { message, continues: first.id });
    const messages = sent(server, server.requests.length - 1);
    assert.deepEqual(messages.map(([role]) => role), [
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    assert.equal(messages.at(-1)?.[1], message);
    assert.equal(next.toolCalls, 0);
    await assertIdentical(runtime, next.id);
  }
  await assert.rejects(done(runtime, { message: "x", continues: 99 }), /Execution not found/);
  await runtime.purgeCheckpoints({ force: true });
  await assert.rejects(done(runtime, { message: "x", continues: first.id }), /not stored/);
});

Deno.test("the pictures of a message are sent with it, stored, replayed and forked, and not sent with later runs", async () => {
  await using world = await openWorld();
  const { place, server } = world;
  await using runtime = await place.open();
  const history = [{ role: "user", content: "Look.", pictures: [PNG] }, HISTORY[1]] as const;
  const { id } = await done(runtime, { message: "And this?", pictures: [PNG], history });
  const url = { url: `data:image/png;base64,${PNG}` };
  const shown = (text: string) => [
    { type: "text", text: `${text}\n\n[picture 1x1 PNG, 1 KB]` },
    { type: "image_url", image_url: url },
  ];
  assert.deepEqual(sent(server, 0), [
    ["user", shown("Look.")],
    ["assistant", "Hello Ada."],
    ["user", shown("And this?")],
  ]);
  assert.ok(!JSON.stringify(await payloadsOf(runtime, id)).includes(PNG));
  await assertIdentical(runtime, id);
  const fork = await runtime.replays.fork(id, { step: 0 });
  await toEnd(runtime, fork.id);
  assert.deepEqual(sent(server, 1), sent(server, 0));
  await assertIdentical(runtime, fork.id);
  await done(runtime, { message: "Later.", sessionId: "s", pictures: [PNG] });
  await done(runtime, { message: "Latest.", sessionId: "s" });
  assert.deepEqual(sent(server, 3), [
    ["user", "Later.\n\n[picture 1x1 PNG, 1 KB]"],
    ["assistant", "Answer 3"],
    ["user", "Latest."],
  ]);
  await assert.rejects(done(runtime, { message: "x", pictures: [btoa("%PDF-1.4")] }), /PNG, JPEG/);
});

Deno.test("equal requests with one idempotency key start one run, and another history is refused", async () => {
  await using world = await openWorld();
  await using runtime = await world.place.open();
  const request = { message: "Hi", history: HISTORY, idempotencyKey: "k" };
  const [first, second] = await Promise.all([
    runtime.run("a", request),
    runtime.run("a", request),
  ]);
  assert.equal(second.id, first.id);
  await assert.rejects(runtime.run("a", { ...request, history: [] }), /Idempotency-Key was used/);
  await toEnd(runtime, first.id);
});

Deno.test("a restart before the first reply keeps the brought messages", async () => {
  let isHanging = true;
  await using world = await openWorld(() => isHanging ? { then: "hang" } : undefined);
  const { place, server } = world;
  let id: number;
  {
    await using runtime = await place.open();
    ({ id } = await runtime.run("a", { message: "Who?", pictures: [PNG], history: HISTORY }));
    await until(() => server.requests.length === 1, "the request to the model");
    await runtime.stop({ graceMs: 0 });
  }
  isHanging = false;
  await using runtime = await place.open();
  assert.equal((await toEnd(runtime, id)).outputData, "Answer 1");
  assert.deepEqual(sent(server, 1), sent(server, 0));
});

Deno.test("a restart before the opening is stored keeps the brought messages", async () => {
  await using world = await openWorld();
  const { place, server } = world;
  let id: number;
  {
    await using runtime = await place.open();
    ({ id } = await done(runtime, { message: "Who?", pictures: [PNG], history: HISTORY }));
  }
  // Leaves the state after a kill between the acceptance and the opening.
  await place.run("DELETE FROM messages WHERE role = 'system' OR position > 3");
  await place.run("UPDATE messages SET body = replace(body, 'Who?', '') WHERE position = 3");
  await place.run("DELETE FROM frames WHERE event <> 'meta'");
  await leaveRunning(place);
  await using runtime = await place.open();
  assert.equal((await toEnd(runtime, id)).outputData, "Answer 2");
  assert.deepEqual(sent(server, 1), sent(server, 0));
});
