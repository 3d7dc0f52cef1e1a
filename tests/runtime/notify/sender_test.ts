// Tests the delivery of messages: their order, combined messages, retries, quiet hours and giving up, also across restarts.
import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../base/time_units.ts";
import { settle } from "../../support/test_clock.ts";
import { CONFIG, down, executionOf, failure, OutboxWorld } from "./outbox_world.ts";
import { DeliveryFailure } from "../../../runtime/vocabulary/delivery_failure.ts";

Deno.test("an agent that fails every five minutes sends one message an hour, with a count", async () => {
  await using world = new OutboxWorld();
  for (let id = 1; id <= 25; id++) {
    world.tell(failure(id, { error: `failure ${id}` }));
    await world.clock.advance(5 * MINUTE_MS);
  }
  assert.deepEqual(world.sent.map(({ count }) => count), [1, 11, 12]);
  const [message] = world.sent;
  assert.match(message?.id ?? "", /^msg_[0-9a-f]{32}$/);
  assert.equal(message?.title, "Daily failed");
  assert.equal(message?.text, "failure 1\nExecution 1: inkling logs -e 1");
  assert.match(world.sent[1]?.text ?? "", /^11 times since 12:05\. The last time:\nfailure 12\n/);
  assert.deepEqual(waitsOf(world), [3_600, 3_600]);
  assert.equal(new Set(world.sent.map(({ id }) => id)).size, 3);
});

Deno.test("a budget message is sent at once, while failures of runs are combined", async () => {
  await using world = new OutboxWorld();
  const told = { type: "budget", agentId: "daily", executionId: 1 } as const;
  const ended = { status: "aborted", error: "Aborted: budget per_day ($2.00)" } as const;
  world.tell({ ...told, text: "80 % of per_day ($2.00) is used." });
  world.tell({ ...told, text: "per_day ($2.00) is used up." });
  for (const id of [2, 3, 4]) world.tell(failure(id, ended));
  await world.settle();
  const expected = ["budget 1", "budget 1", "budget 4"];
  assert.deepEqual(world.sent.map(({ kind, executionId }) => `${kind} ${executionId}`), expected);
  assert.equal(world.sent[2]?.count, 3);
});

Deno.test("messages are combined by agent, kind and channel; questions are not", async () => {
  const config = CONFIG.replace("phone:", "team: { type: desktop }\n    phone:");
  await using world = new OutboxWorld({ config });
  world.tell(failure(1));
  world.tell(failure(2, { agentId: "other", displayName: "Other" }));
  world.tell({ type: "ended", execution: executionOf(3, { status: "success" }), output: "Done" });
  world.ask(executionOf(4, { status: "waiting" }));
  world.ask(executionOf(5, { status: "waiting" }));
  await world.settle();
  assert.equal(world.sent.length, 10);
  assert.ok(world.sent.every(({ count }) => count === 1));
});

Deno.test("an unreachable receiver later gets the messages in order, with the same ids", async () => {
  await using world = new OutboxWorld();
  world.deliver = down;
  const request = world.ask(executionOf(7, { status: "waiting" }));
  await world.settle();
  assert.equal(world.sent.length, 1);
  // The end of an execution must not arrive before its question. Messages of other executions are not delayed.
  world.tell(failure(7));
  world.tell(failure(8, { agentId: "other" }));
  await world.settle();
  assert.deepEqual(world.sent.map(({ executionId }) => executionId), [7, 8]);
  await world.clock.advance(10 * MINUTE_MS);
  assert.ok(world.sent.every(({ executionId, kind }) => executionId === 8 || kind === "waiting"));
  const tries = world.sent.filter(({ kind }) => kind === "waiting");
  assert.ok(tries.length >= 5, String(tries.length));
  assert.equal(new Set(tries.map(({ id }) => id)).size, 1);
  world.deliver = () => {};
  world.sent.length = 0;
  await world.clock.advance(HOUR_MS);
  const own = world.sent.filter(({ executionId }) => executionId === 7);
  assert.deepEqual(own.map(({ kind }) => kind), ["waiting", "error"]);
  assert.equal(own[0]?.id, tries[0]?.id);
  assert.equal(request.requestId, "q-7");
  assert.equal(await world.outbox.countOpen(), 0);
});

/** Returns the seconds between the attempts to send a message. */
function waitsOf({ sent }: OutboxWorld): number[] {
  return sent.slice(1).map(({ at2 }, i) => (at2 - (sent[i]?.at2 ?? 0)) / SECOND_MS);
}

Deno.test("the waits between attempts grow from ten seconds to half an hour", async () => {
  await using world = OutboxWorld.failing();
  await world.clock.advance(90 * MINUTE_MS);
  assert.deepEqual(waitsOf(world).slice(0, 8), [10, 20, 40, 80, 160, 320, 640, 1_280]);
  const lines = world.log.lines.filter(({ message }) => message.includes("message"));
  assert.deepEqual(lines.map(({ level, message }) => [level, message]), [
    ["warn", "A message could not be delivered; retrying for 24 hours"],
  ]);
  await using buggy = OutboxWorld.failing(() => {
    throw new TypeError("a bug");
  });
  await buggy.clock.advance(5 * MINUTE_MS);
  assert.deepEqual(waitsOf(buggy), [10, 20, 40, 80]);
});

Deno.test("no two services send the same message at the same time", async () => {
  await using world = new OutboxWorld();
  await using other = world.createSender();
  const slow = Promise.withResolvers<void>();
  world.deliver = () => slow.promise;
  world.tell(failure(1));
  await world.settle();
  for (let second = 0; second < 30; second++) {
    other.wake();
    await world.clock.advance(SECOND_MS);
  }
  assert.equal(world.sent.length, 1);
  await world.sender[Symbol.asyncDispose]();
  await world.clock.advance(30 * SECOND_MS);
  assert.equal(world.sent.length, 2);
  assert.equal(world.sent[0]?.id, world.sent[1]?.id);
  slow.resolve();
  await world.settle();
  assert.equal(await world.outbox.countOpen(), 0);
});

Deno.test("the sender gives up after 24 hours, with a log line", async () => {
  await using world = OutboxWorld.failing();
  await world.settle();
  // The machine is suspended for most of this time.
  world.clock.jump(DAY_MS - HOUR_MS);
  await world.clock.advance(HOUR_MS - MINUTE_MS);
  assert.equal(await world.outbox.countOpen(), 1);
  await world.clock.advance(2 * MINUTE_MS);
  assert.equal(await world.outbox.countOpen(), 0);
  const last = world.log.lines.at(-1);
  assert.equal(last?.level, "error");
  assert.equal(last?.message, "A message was not delivered: it failed for 24 hours");
  assert.deepEqual([last?.fields["reason"], world.clock.sleeping], ["the receiver is down.", 0]);
});

Deno.test("the sender does not retry a final failure, and waits for Retry-After", async () => {
  await using world = OutboxWorld.failing(() => {
    throw new DeliveryFailure("it answered 400.", { isFinal: true });
  });
  await world.clock.advance(HOUR_MS);
  assert.equal(world.sent.length, 1);
  assert.equal(
    world.log.lines.at(-1)?.message,
    "A message was not delivered: a retry cannot succeed",
  );
  const retryAfterMs = 30 * MINUTE_MS;
  await using asked = OutboxWorld.failing(() => {
    throw new DeliveryFailure("it answered 429.", { retryAfterMs });
  });
  await asked.clock.advance(29 * MINUTE_MS);
  assert.equal(asked.sent.length, 1);
  await asked.clock.advance(MINUTE_MS);
  assert.equal(asked.sent.length, 2);
});

Deno.test("a slow receiver delays only the messages of its own channel", async () => {
  const config = CONFIG.replace("phone:", "slow: { type: desktop }\n    phone:");
  await using world = new OutboxWorld({ config });
  const slow = Promise.withResolvers<void>();
  world.deliver = (_message, channel) => channel === "slow" ? slow.promise : undefined;
  world.tell(failure(1));
  world.tell(failure(2, { agentId: "other" }));
  await world.settle();
  const to = (name: string) => world.sent.filter(({ channel }) => channel === name).length;
  assert.deepEqual([to("slow"), to("phone")], [1, 2]);
  slow.resolve();
  await world.settle();
  assert.deepEqual([to("slow"), to("phone")], [2, 2]);
});

Deno.test("a restart during an attempt sends the message again with the same id", async () => {
  await using world = new OutboxWorld();
  world.deliver = () => new Promise(() => {});
  world.tell(failure(1));
  await world.settle();
  assert.equal(world.sent.length, 1);
  world.deliver = () => {};
  await world.restart();
  await world.settle();
  assert.equal(world.sent.length, 2);
  assert.equal(world.sent[0]?.id, world.sent[1]?.id);
  assert.equal(await world.outbox.countOpen(), 0);
});

Deno.test("later events are not combined with a message that a node has tried to send", async () => {
  await using world = new OutboxWorld();
  world.deliver = down;
  world.tell(failure(1, { error: "first" }));
  await world.settle();
  world.tell(failure(2, { error: "second" }));
  await world.clock.advance(MINUTE_MS);
  assert.ok(world.sent.every(({ text }) => text.startsWith("first")));
  world.deliver = () => {};
  await world.clock.advance(HOUR_MS);
  assert.match(world.sent.at(-1)?.text ?? "", /^second/);
});

const QUIET = `${CONFIG}
  quiet: { from: "22:00", to: "07:00", timezone: Europe/Berlin, pass: [waiting] }
`;

Deno.test("quiet hours over midnight delay messages, except urgent kinds", async () => {
  // 21:59 in Berlin, a minute before the quiet hours.
  await using world = new OutboxWorld({ config: QUIET, start: "2026-01-10T20:59:00.000Z" });
  world.tell(failure(1));
  await world.settle();
  assert.equal(world.sent.length, 1);
  world.clock.jump(2 * HOUR_MS);
  world.tell(failure(2, { agentId: "other" }));
  world.ask(executionOf(3, { status: "waiting" }));
  await world.settle();
  assert.deepEqual(world.sent.map(({ executionId }) => executionId), [1, 3]);
  // 06:59 in Berlin, a minute before the end of the quiet hours.
  world.clock.jump(7 * HOUR_MS - MINUTE_MS);
  await world.clock.advance(MINUTE_MS);
  assert.equal(world.sent.length, 2);
  await world.clock.advance(2 * MINUTE_MS);
  assert.deepEqual(world.sent.map(({ executionId }) => executionId), [1, 3, 2]);
});

Deno.test("failures during quiet hours are combined to one message", async () => {
  await using world = new OutboxWorld({ config: QUIET, start: "2026-01-10T21:30:00.000Z" });
  for (let id = 1; id <= 30; id++) {
    world.tell(failure(id));
    world.clock.jump(14 * MINUTE_MS);
    await world.clock.advance(MINUTE_MS);
  }
  assert.equal(world.sent.length, 0);
  world.clock.jump(HOUR_MS);
  await world.clock.advance(2 * MINUTE_MS);
  assert.deepEqual(world.sent.map(({ count }) => count), [30]);
});

Deno.test("a question that was answered before sending causes no message", async () => {
  await using world = new OutboxWorld();
  world.deliver = down;
  const { requestId } = world.ask(executionOf(1, { status: "waiting" }));
  await world.settle();
  assert.equal(world.sent.length, 1);
  world.answer(requestId);
  await world.clock.advance(HOUR_MS);
  assert.equal(world.sent.length, 1);
  assert.equal(await world.outbox.countOpen(), 0);
});

Deno.test("the sender closes messages to a channel that config.yaml no longer has", async () => {
  await using world = OutboxWorld.failing();
  await world.settle();
  world.settings = { ...world.settings, channels: {} };
  await world.clock.advance(MINUTE_MS);
  assert.equal(await world.outbox.countOpen(), 0);
  assert.match(String(world.log.lines.at(-1)?.fields["reason"]), /no longer has this channel/);
});

Deno.test("each attempt to send a question gets a new link; the database contains no token", async () => {
  await using world = new OutboxWorld();
  world.publicUrl = "https://inkling.example";
  world.clock.settle = settle;
  world.deliver = () => world.sent.length < 2 ? down() : undefined;
  world.ask(executionOf(1, { status: "waiting" }));
  await world.settle();
  await world.clock.advance(MINUTE_MS);
  await world.settle();
  const links = world.sent.map(({ link }) => link ?? "");
  assert.equal(links.length, 2);
  assert.notEqual(links[0], links[1]);
  const stored = JSON.stringify([
    world.db.all("SELECT * FROM outbox"),
    world.db.all("SELECT * FROM answer_links"),
  ]);
  for (const link of links) {
    const token = /^https:\/\/inkling\.example\/answer\/([\w-]{43})$/.exec(link)?.[1] ?? "";
    assert.equal((await world.links.findLink(token))?.state, "open");
    assert.ok(!stored.includes(token));
  }
});

Deno.test("a transaction that is rolled back sends no message", async () => {
  await using world = new OutboxWorld();
  assert.throws(() =>
    world.db.transaction("process", () => {
      world.db.perform(world.outbox.record(failure(1)));
      throw new Error("the disk is gone");
    })
  );
  await world.clock.advance(MINUTE_MS);
  assert.deepEqual([world.sent.length, world.clock.sleeping], [0, 0]);
});
