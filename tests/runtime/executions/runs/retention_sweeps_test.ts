import assert from "node:assert/strict";
import { RetentionSweeps } from "../../../../runtime/executions/runs/retention_sweeps.ts";
import { DAY_MS, HOUR_MS } from "../../../../base/time_units.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { TestClock } from "../../../support/test_clock.ts";

/** Sweeps whose times and limits are recorded; each fails that `fails` says. */
function stage(fails: (sweep: number) => boolean) {
  const clock = new TestClock();
  const log = new LogLines();
  const start = clock.now();
  const swept: number[] = [];
  const sweeps = new RetentionSweeps({
    retention: {
      sweep({ now, checkpointDays, logDays }) {
        assert.deepEqual([checkpointDays, logDays], [30, null]);
        swept.push(now - start);
        return fails(swept.length) ? Promise.reject(new Error("no room")) : Promise.resolve();
      },
    },
    clock,
    log,
    days: () => ({ checkpointDays: 30, logDays: null }),
  });
  return { clock, log, swept, sweeps };
}

Deno.test("RetentionSweeps sweep at the start and once a day, also after a failure, until they are disposed", async () => {
  const { clock, log, swept, sweeps } = stage((sweep) => sweep === 2);
  await sweeps.start();
  assert.deepEqual(swept, [0]);
  await clock.advance(DAY_MS - 1);
  assert.deepEqual(swept, [0]);
  await clock.advance(DAY_MS + HOUR_MS);
  assert.deepEqual(swept, [0, DAY_MS, 2 * DAY_MS]);
  assert.deepEqual(log.lines.map(({ level, message }) => [level, message]), [
    ["error", "Old conversations and logs could not be removed; tried again in a day"],
  ]);
  await sweeps[Symbol.asyncDispose]();
  assert.equal(clock.sleeping, 0);
});

Deno.test("RetentionSweeps.start() rejects when the first sweep fails, and leaves nothing running", async () => {
  const { clock, sweeps } = stage(() => true);
  await assert.rejects(sweeps.start(), /no room/);
  assert.equal(clock.sleeping, 0);
  await sweeps[Symbol.asyncDispose]();
});
