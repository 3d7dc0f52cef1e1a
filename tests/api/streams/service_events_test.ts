import assert from "node:assert/strict";
import type { ServiceEvent } from "../../../runtime/events/bus.ts";
import { FOLLOWERS_FIRST_MS, READING_MS } from "../../../api/streams/followers.ts";
import { HEARTBEAT_MS, MOST_UNREAD_EVENTS } from "../../../api/streams/service_events.ts";
import { createTestApp, type TestApp } from "../../support/test_app.ts";
import { settle } from "../../support/test_clock.ts";

interface Reading extends TestApp {
  /** Returns the text of the stream's next chunk, or undefined at the end. */
  next(): Promise<string | undefined>;
  leave(): Promise<void>;
}

/** Opens the event stream, reads its first comment, and returns a reader. */
async function open(): Promise<Reading> {
  const on = createTestApp();
  const response = await on.app.request("/events/stream");
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  assert.ok(response.body);
  const reader = response.body.getReader();
  const next = async () => {
    const { value } = await reader.read();
    return value && new TextDecoder().decode(value);
  };
  assert.equal(await next(), ": connected\n\n");
  return { ...on, next, leave: () => reader.cancel() };
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

const identity = { agent_id: "writer", display_name: "The Writer", agent_name: "writer" };

const { agent_id: agentId, display_name: displayName } = identity;
/** A name with characters that some readers treat as line ends. */
const ODD_NAME = "The\u2028Wri\u0085ter\u2029";
const execution = { executionId: 1, agentId, displayName };
const ofExecution = { execution_id: 1, ...identity };
const request = { kind: "input", message: "Which?" } as const;
const reason = "it ran 30 times";
const figures = { budget: "per_day", unit: "usd", used: 1.7, limit: 2 } as const;
const warning = { type: "budget_warning", ...figures, rootId: null, message: "Nearly." } as const;
const warned = { ...figures, message: "Nearly." };
const resets_at = "2026-01-02T00:00:00.000Z";

const EVENTS: [published: ServiceEvent, fields: object][] = [
  [
    {
      type: "execution_completed",
      ...execution,
      status: "success",
      durationMs: 1_200,
      ageMs: 1_300,
    },
    { ...ofExecution, status: "success", duration_ms: 1_200 },
  ],
  [
    { type: "execution_waiting", ...execution, requestId: "r1", ...request },
    { ...ofExecution, request_id: "r1", ...request },
  ],
  [{ type: "execution_resumed", ...execution }, ofExecution],
  ...(["loaded", "updated", "removed"] as const).map((change): [ServiceEvent, object] => [
    { type: "agents_changed", change, agentId, displayName: ODD_NAME },
    { event: change, ...identity, display_name: ODD_NAME },
  ]),
  [{ type: "scheduler_changed", status: "paused" }, { status: "paused" }],
  [{ type: "scheduler_changed", status: "running" }, { status: "running" }],
  [
    { type: "trigger_changed", agentId, displayName, status: "paused", reason },
    { ...identity, status: "paused", reason },
  ],
  [
    { type: "trigger_changed", agentId, displayName, status: "running", reason: null },
    { ...identity, status: "running", reason: null },
  ],
  [
    { ...warning, agentId, displayName, resetsAt: Date.parse(resets_at) },
    { ...identity, ...warned, resets_at },
  ],
  [
    { ...warning, agentId: null, displayName: null, resetsAt: null },
    { ...warned, resets_at: null },
  ],
];

Deno.test("GET /events/stream sends each event with its fields, and no id", async () => {
  const on = await open();
  on.runtime.addExecution();
  on.runtime.addExecution();
  const started = { ...ofExecution, trigger: "manual" };
  // Both events are published before the first read.
  assert.equal(
    await on.next(),
    event("execution_started", started) +
      event("execution_started", { ...started, execution_id: 2 }),
  );
  for (const [published, fields] of EVENTS) {
    on.runtime.events.publish(published);
    const text = await on.next() ?? "";
    assert.doesNotMatch(text, /[\u0085\u2028\u2029]/);
    const [, name, data = ""] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(text) ?? [];
    assert.equal(name, published.type);
    assert.deepEqual(JSON.parse(data), fields);
  }
  await on.leave();
});

Deno.test("GET /events/stream sends a heartbeat after ten seconds without an event", async () => {
  const on = await open();
  const first = on.next();
  await on.clock.advance(HEARTBEAT_MS - 1);
  on.runtime.events.publish({ type: "scheduler_changed", status: "paused" });
  assert.match(await first ?? "", /^event: scheduler_changed/);
  const second = on.next();
  await on.clock.advance(HEARTBEAT_MS);
  assert.equal(await second, event("heartbeat", { timestamp: "2026-01-01T00:00:19.999Z" }));
  const third = on.next();
  await on.clock.advance(HEARTBEAT_MS);
  assert.equal(await third, event("heartbeat", { timestamp: "2026-01-01T00:00:29.999Z" }));
  on.runtime.addExecution();
  assert.match(await on.next() ?? "", /^event: execution_started/);
  const frames = (await on.app.request("/executions/1/stream")).body?.getReader();
  const beat = on.next();
  for (let n = 0; n < 10; n++) {
    on.runtime.append(1, "ai");
    await frames?.read();
    await on.clock.advance(HEARTBEAT_MS / 10);
  }
  assert.match(await beat ?? "", /^event: heartbeat/);
  await frames?.cancel();
  await on.leave();
});

Deno.test("GET /events/stream disconnects only a reader that is too slow", async () => {
  const on = await open();
  const brisk = (await on.app.request("/events/stream")).body?.getReader();
  assert.ok(brisk);
  await brisk.read();
  for (let n = 0; n < MOST_UNREAD_EVENTS; n++) {
    on.runtime.events.publish({ type: "scheduler_changed", status: "paused" });
  }
  assert.equal(on.lifecycle.activeStreams, 2);
  await brisk.read();
  on.runtime.events.publish({ type: "scheduler_changed", status: "running" });
  assert.equal(on.lifecycle.activeStreams, 1);
  await assert.rejects(on.next(), { message: "The reader fell behind" });
  assert.match(new TextDecoder().decode((await brisk.read()).value), /"running"/);
  const [line] = on.runtime.log.lines.filter(({ level }) => level === "warn");
  assert.equal(line?.fields.unread, MOST_UNREAD_EVENTS);
  await brisk.cancel();
  assert.deepEqual([on.lifecycle.activeStreams, on.runtime.events.listenerCount], [0, 0]);
});

/** Publishes the end of execution 1, as the runner does; `ageMs`: the time from the run's acceptance to its end. */
function publishEnd({ runtime }: TestApp, ageMs: number): void {
  const { agent_id: agentId, display_name: displayName } = identity;
  runtime.events.publish({
    type: "execution_completed",
    executionId: 1,
    agentId,
    displayName,
    status: "success",
    durationMs: 3,
    ageMs,
  });
}

/** Returns the text that the stream has already sent, or undefined. Does not wait for more. */
async function peek(reading: Promise<string | undefined>): Promise<string | undefined> {
  await settle();
  return await Promise.race([reading, Promise.resolve("nothing yet")]);
}

Deno.test("GET /events/stream sends an execution's end after its followers got `complete`", async () => {
  const on = await open();
  on.runtime.addExecution();
  await on.next();
  const follower = (await on.app.request("/executions/1/stream")).body?.getReader();
  const inside: string[] = [];
  const unsubscribe = on.runtime.events.subscribe(({ type }) => inside.push(type));
  on.runtime.setStatus(1, "success");
  assert.deepEqual(inside, ["execution_completed"]);
  const end = on.next();
  await on.clock.advance(FOLLOWERS_FIRST_MS - 100);
  assert.equal(await peek(end), "nothing yet");
  const { value } = await follower?.read() ?? {};
  assert.match(new TextDecoder().decode(value), /^event: complete/);
  assert.equal((await follower?.read())?.done, true);
  await on.clock.advance(READING_MS);
  assert.match(await peek(end) ?? "", /^event: execution_completed/);
  unsubscribe();
  await on.leave();
  assert.equal(on.clock.sleeping, 0);
});

Deno.test("GET /events/stream waits a quarter of a second for a slow follower", async () => {
  const on = await open();
  on.runtime.addExecution();
  await on.next();
  const follower = (await on.app.request("/executions/1/stream")).body?.getReader();
  publishEnd(on, 5_000);
  const end = on.next();
  await on.clock.advance(FOLLOWERS_FIRST_MS - 1);
  assert.equal(await peek(end), "nothing yet");
  await on.clock.advance(1);
  assert.match(await peek(end) ?? "", /^event: execution_completed/);
  await follower?.cancel();
  await on.leave();
});

Deno.test("GET /events/stream waits for a follower only after a very short run", async () => {
  const on = await open();
  on.runtime.addExecution({ status: "success" });
  await on.next();
  publishEnd(on, 20);
  const end = on.next();
  // A follower that left before it received the last frame does not count: the stream still waits for a follower that
  // receives the frame.
  await (await on.app.request("/executions/1/stream")).body?.cancel();
  await on.clock.advance(READING_MS);
  assert.equal(await peek(end), "nothing yet");
  await (await on.app.request("/executions/1/stream")).text();
  await on.clock.advance(READING_MS);
  assert.match(await peek(end) ?? "", /^event: execution_completed/);
  // Without a follower, the end is sent a quarter of a second after the run was accepted.
  publishEnd(on, 20);
  const unfollowed = on.next();
  await on.clock.advance(FOLLOWERS_FIRST_MS - 21);
  assert.equal(await peek(unfollowed), "nothing yet");
  await on.clock.advance(1);
  assert.match(await peek(unfollowed) ?? "", /^event: execution_completed/);
  publishEnd(on, FOLLOWERS_FIRST_MS);
  assert.match(await on.next() ?? "", /^event: execution_completed/);
  await on.leave();
  assert.equal(on.clock.sleeping, 0);
});

Deno.test("GET /events/stream sends shutdown when the stop begins", async () => {
  const on = await open();
  on.runtime.events.publish({ type: "scheduler_changed", status: "paused" });
  on.lifecycle.requestStop("signal");
  assert.equal(
    await on.next(),
    event("scheduler_changed", { status: "paused" }) + event("shutdown", { reason: "signal" }),
  );
  const follower = (await on.app.request("/executions/1/stream")).body?.getReader();
  publishEnd(on, 3);
  const last = on.next();
  assert.equal(await peek(last), "nothing yet");
  on.lifecycle.endStreams();
  assert.match(await last ?? "", /^event: execution_completed/);
  assert.equal(await on.next(), undefined);
  await follower?.cancel();
  assert.deepEqual([on.lifecycle.activeStreams, on.runtime.events.listenerCount], [0, 0]);
  assert.equal(on.clock.sleeping, 0);
});

Deno.test("GET /events/stream ends a silent stream, and a stream opened during the stop", async () => {
  const on = await open();
  const last = on.next();
  await settle();
  assert.equal((await on.call("/info")).body.active_streams, 1);
  on.lifecycle.requestStop("idle");
  on.lifecycle.endStreams();
  assert.equal(await last, event("shutdown", { reason: "idle" }));
  assert.equal(await on.next(), undefined);
  const late = await (await on.app.request("/events/stream")).text();
  assert.equal(late, `: connected\n\n${event("shutdown", { reason: "idle" })}`);
  assert.equal(on.clock.sleeping, 0);
});
