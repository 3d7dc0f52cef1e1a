import assert from "node:assert/strict";
import type { Trigger } from "../../../runtime/agents/agent.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import { Lifecycle, type OpenStream } from "../../../api/streams/lifecycle.ts";
import { fakeAgent } from "../../support/fake_agent.ts";
import { FakeRuntime } from "../../support/fake_runtime.ts";
import { settle, TestClock } from "../../support/test_clock.ts";

const STREAM: OpenStream = { end: () => {} };

interface Options {
  keepAlive?: boolean;
  hasPort?: boolean;
  idleTimeoutMs?: number;
}

interface Stage {
  clock: TestClock;
  runtime: FakeRuntime;
  lifecycle: Lifecycle;
  watching: Promise<void>;
}

/** Starts the idle watch of a Lifecycle over a runtime that `prepare` has set up. */
async function stage(
  options: Options,
  prepare: (runtime: FakeRuntime, lifecycle: Lifecycle) => void = () => {},
): Promise<Stage> {
  const clock = new TestClock();
  const runtime = new FakeRuntime({ clock });
  const { keepAlive = false, hasPort = false, idleTimeoutMs } = options;
  const lifecycle = new Lifecycle({
    runtime,
    keepAlive,
    hasPort,
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
  });
  prepare(runtime, lifecycle);
  const watching = lifecycle.watchIdle();
  await settle();
  return { clock, runtime, lifecycle, watching };
}

/** Ends the idle watch, so that no timer survives the test. */
async function end({ lifecycle, watching, clock, runtime }: Stage): Promise<void> {
  lifecycle.requestStop("requested");
  await watching;
  assert.deepEqual([clock.sleeping, runtime.events.listenerCount], [0, 0]);
}

const schedule = { type: "schedule", every: "1h", catchUp: "none" } as const;
const watch: Trigger<"watch"> = {
  type: "watch",
  paths: ["in"],
  filters: { include: [], exclude: [] },
  debounceMs: 500,
  maxRuns: 200,
  catchUp: "none",
};

type Prepare = (runtime: FakeRuntime, lifecycle: Lifecycle) => void;

const BUSY: [what: string, options: Options, prepare: Prepare][] = [
  ["a schedule with a next run", {}, (runtime) => {
    runtime.addAgent(fakeAgent("a", { trigger: schedule }), { nextRun: 1 });
  }],
  ["a watch agent", {}, (runtime) => runtime.addAgent(fakeAgent("a", { trigger: watch }))],
  ["a running execution", {}, (runtime) => runtime.addExecution({ status: "running" })],
  ["a resting execution", {}, (runtime) => {
    runtime.addExecution({ rest: { until: 1e15, reason: "the backup", since: 0 } });
  }],
  ["an open stream", {}, (_runtime, lifecycle) => lifecycle.addStream(STREAM)],
  ["a request in flight", {}, (_runtime, lifecycle) => lifecycle.countRequest()],
  ["a waiting execution on a TCP port", { hasPort: true }, (runtime) => {
    runtime.addExecution({ status: "waiting" });
  }],
  ["a message to send", {}, (runtime) => runtime.messagesWait = true],
];

for (const [what, options, prepare] of BUSY) {
  Deno.test(`Lifecycle keeps running with ${what}`, async () => {
    const on = await stage(options, prepare);
    await on.clock.advance(12 * MINUTE_MS);
    assert.equal(on.lifecycle.stopping, null);
    await end(on);
  });
}

const off = { enabled: false };
const IDLE: [what: string, prepare: Prepare][] = [
  ["nothing at all", () => {}],
  ["a manual agent", (runtime) => runtime.addAgent(fakeAgent("a"))],
  ["a schedule that never fires again", (runtime) => {
    runtime.addAgent(fakeAgent("a", { trigger: schedule }));
  }],
  ["a disabled watch agent", (runtime) => {
    runtime.addAgent(fakeAgent("a", { trigger: watch, ...off }));
  }],
  ["a disabled schedule", (runtime) => {
    runtime.addAgent(fakeAgent("a", { trigger: schedule, ...off }), { nextRun: 1 });
  }],
  ["a finished execution", (runtime) => runtime.addExecution({ status: "success" })],
  ["a waiting execution on the plain socket", (runtime) => {
    runtime.addExecution({ status: "waiting" });
  }],
];

for (const [what, prepare] of IDLE) {
  Deno.test(`Lifecycle stops after five minutes with ${what}`, async () => {
    const on = await stage({}, prepare);
    await on.clock.advance(5 * MINUTE_MS - 1);
    assert.equal(on.lifecycle.stopping, null);
    await on.clock.advance(1);
    assert.equal(on.lifecycle.stopping, "idle");
    assert.equal(await on.lifecycle.stopRequested, "idle");
    await end(on);
  });
}

Deno.test("Lifecycle counts the five minutes from the end of the last work", async () => {
  const on = await stage({}, (runtime) => runtime.addExecution({ status: "running" }));
  await on.clock.advance(7 * MINUTE_MS + 10_000);
  on.runtime.setStatus(1, "success");
  await on.clock.advance(2 * MINUTE_MS);
  const answered = on.lifecycle.countRequest();
  await on.clock.advance(10);
  answered();
  await on.clock.advance(4 * MINUTE_MS);
  const closed = on.lifecycle.addStream(STREAM);
  await on.clock.advance(30 * MINUTE_MS + 1_234);
  closed();
  await on.clock.advance(5 * MINUTE_MS - 1);
  assert.equal(on.lifecycle.stopping, null);
  await on.clock.advance(1);
  assert.equal(on.lifecycle.stopping, "idle");
  await end(on);
});

Deno.test("Lifecycle notices within a minute that the last trigger was removed", async () => {
  const on = await stage({}, (runtime) => runtime.addAgent(fakeAgent("a", { trigger: watch })));
  await on.clock.advance(10 * MINUTE_MS + 30_000);
  on.runtime.agents.clear();
  await on.clock.advance(5 * MINUTE_MS);
  assert.equal(on.lifecycle.stopping, null);
  await on.clock.advance(MINUTE_MS);
  assert.equal(on.lifecycle.stopping, "idle");
  await end(on);
});

Deno.test("Lifecycle never stops for idleness with keepAlive", async () => {
  const on = await stage({ keepAlive: true });
  await on.watching;
  await on.clock.advance(24 * 60 * MINUTE_MS);
  assert.equal(on.lifecycle.stopping, null);
  await end(on);
});

Deno.test("Lifecycle keeps running if it cannot determine that it is idle", async () => {
  const on = await stage({});
  on.runtime.countExecutions = () => Promise.reject(new Error("disk"));
  await on.clock.advance(6 * MINUTE_MS);
  assert.equal(on.lifecycle.stopping, null);
  assert.equal(
    on.runtime.log.lines[0]?.message,
    "Cannot determine if the service is idle; it continues to run",
  );
  await end(on);
});

Deno.test("Lifecycle keeps the first reason to stop", () => {
  const runtime = new FakeRuntime({ clock: new TestClock() });
  const lifecycle = new Lifecycle({ runtime, keepAlive: false });
  assert.throws(() => lifecycle.endStreams(), TypeError);
  lifecycle.requestStop("signal");
  lifecycle.requestStop("idle");
  assert.equal(lifecycle.stopping, "signal");
});
