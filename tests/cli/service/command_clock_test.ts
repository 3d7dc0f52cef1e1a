// The clock of commands: real time, because that is what it is about.
import assert from "node:assert/strict";
import { CommandClock } from "../../../cli/service/command_clock.ts";

Deno.test("CommandClock.sleep() wakes when the time is over, and not before", async () => {
  const clock = new CommandClock();
  // Timers of the same length end in the order in which they began.
  const earlier = AbortSignal.timeout(20);
  await clock.sleep(20);
  assert.ok(earlier.aborted);
  await clock.sleep(0);
  await clock.sleep(-5);
});

Deno.test("CommandClock.sleep() rejects with the signal's reason, at once or while it waits", async () => {
  const clock = new CommandClock();
  const reason = new Error("called off");
  await assert.rejects(clock.sleep(60_000, AbortSignal.abort(reason)), reason);
  const off = new AbortController();
  const waiting = clock.sleep(60_000, off.signal);
  off.abort(reason);
  await assert.rejects(waiting, reason);
});
