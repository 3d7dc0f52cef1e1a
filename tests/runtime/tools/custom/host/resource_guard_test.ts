// Tests the detection of threads that a tool leaves behind: they use the processor while no work is running.
import assert from "node:assert/strict";
import process from "node:process";
import { idleWorkExceeded } from "../../../../../runtime/tools/custom/host/resource_guard.ts";
import { settle, TestClock } from "../../../../support/test_clock.ts";

/** Returns the number of half seconds after which the process is ended, or undefined if it may continue. */
async function endedAfter(
  usedMs: number,
  rest: (period: number) => number | undefined,
  most = 6,
): Promise<number | undefined> {
  const clock = new TestClock();
  const { cpuUsage } = process;
  let period = 0;
  process.cpuUsage = () => ({ user: usedMs * 1_000, system: 0 });
  try {
    let isOver = false;
    void idleWorkExceeded(clock, () => rest(period)).then(() => isOver = true);
    for (; period < most; period++) {
      await settle();
      if (isOver) return period;
      await clock.advance(500);
    }
    return undefined;
  } finally {
    process.cpuUsage = cpuUsage;
  }
}

Deno.test("idleWorkExceeded() ends a process that is busy without work", async () => {
  const atRest = () => 1;
  assert.equal(await endedAfter(400, atRest), 4);
  assert.equal(await endedAfter(100, atRest), 4);
  // On a busy machine an endless loop may get little of the processor.
  assert.equal(await endedAfter(74, atRest, 24), 21);
  assert.equal(await endedAfter(400, () => undefined), undefined);
  assert.equal(await endedAfter(400, (period) => period), undefined);
});
