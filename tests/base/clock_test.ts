import assert from "node:assert/strict";
import { SystemClock, toTimestamp } from "../../base/clock.ts";

const clock = new SystemClock();

Deno.test("SystemClock.sleep() wakes when the time is over, not before", async () => {
  const begin = performance.now();
  await clock.sleep(20, new AbortController().signal);
  // Timers and this clock round differently.
  assert.ok(performance.now() - begin >= 19);
});

Deno.test("SystemClock.sleep() rejects with the signal's reason, be it aborted before or meanwhile", async () => {
  const reason = new Error("enough");
  await assert.rejects(clock.sleep(1_000_000, AbortSignal.abort(reason)), reason);
  const stop = new AbortController();
  const asleep = clock.sleep(1_000_000, stop.signal);
  stop.abort(reason);
  await assert.rejects(asleep, reason);
});

Deno.test("toTimestamp() shows an instant in UTC with milliseconds", () => {
  assert.equal(toTimestamp(0), "1970-01-01T00:00:00.000Z");
});
