import assert from "node:assert/strict";
import { sleepUnlessAborted, untilAborted, withinTime } from "../../base/bounded_wait.ts";
import { TestClock } from "../support/test_clock.ts";

const LATE = new Error("It took too long");

Deno.test("untilAborted() rejects as soon as the signal aborts", async () => {
  const work = Promise.withResolvers<string>();
  const stop = new AbortController();
  const waiting = untilAborted(work.promise, stop.signal);
  stop.abort(LATE);
  await assert.rejects(waiting, LATE);
  await assert.rejects(untilAborted(work.promise, stop.signal), LATE);
  // An unhandled rejection of the ignored work would fail the test.
  work.reject(new Error("too late"));
  assert.equal(await untilAborted(Promise.resolve(1), new AbortController().signal), 1);
});

Deno.test("withinTime() aborts the work at its time limit and leaves no timer", async () => {
  const clock = new TestClock();
  const limit = { clock, ms: 1_000, reason: LATE };
  const late = assert.rejects(
    withinTime(limit, (signal) => untilAborted(new Promise(() => {}), signal)),
    LATE,
  );
  await clock.advance(1_000);
  await late;
  assert.equal(await withinTime(limit, () => Promise.resolve("in time")), "in time");
  const stop = new AbortController();
  const stopped = withinTime(
    { ...limit, signal: stop.signal },
    (signal) => untilAborted(new Promise(() => {}), signal),
  );
  stop.abort(new Error("stopped"));
  await assert.rejects(stopped, /stopped/);
  assert.equal(clock.sleeping, 0);
});

Deno.test("sleepUnlessAborted() returns true after the whole time", async () => {
  const clock = new TestClock();
  const stop = new AbortController();
  const whole = sleepUnlessAborted(clock, 50, stop.signal);
  await clock.advance(50);
  assert.equal(await whole, true);
  const cut = sleepUnlessAborted(clock, 50, stop.signal);
  stop.abort();
  assert.equal(await cut, false);
  const broken = { sleep: () => Promise.reject(new Error("no timers left")) };
  await assert.rejects(sleepUnlessAborted(broken, 50, new AbortController().signal), /no timers/);
});
