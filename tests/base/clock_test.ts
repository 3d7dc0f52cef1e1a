// These tests use real time, which both clocks read.
import assert from "node:assert/strict";
import { SystemClock } from "../../base/clock.ts";
import { CommandClock } from "../../cli/service/command_clock.ts";

for (const clock of [new SystemClock(), new CommandClock()]) {
  const { name } = clock.constructor;

  Deno.test(`${name}.sleep() resolves when the time is over`, async () => {
    const begin = performance.now();
    await clock.sleep(20);
    // Timers and performance.now() round differently, so a millisecond is tolerated.
    assert.ok(performance.now() - begin >= 19);
    await clock.sleep(0);
    await clock.sleep(-5);
  });

  Deno.test(`${name}.sleep() rejects with the signal's reason`, async () => {
    const reason = new Error("called off");
    await assert.rejects(clock.sleep(60_000, AbortSignal.abort(reason)), reason);
    const off = new AbortController();
    const waiting = clock.sleep(60_000, off.signal);
    off.abort(reason);
    await assert.rejects(waiting, reason);
  });

  Deno.test(`${name}.sleep() sleeps for more milliseconds than one timer supports`, async () => {
    const off = new AbortController();
    const waiting = clock.sleep(2 ** 31 + 60_000, off.signal);
    // A timer that overflows fires after a millisecond.
    await Promise.race([waiting, clock.sleep(20)]);
    const reason = new Error("called off");
    off.abort(reason);
    await assert.rejects(waiting, reason);
  });
}
