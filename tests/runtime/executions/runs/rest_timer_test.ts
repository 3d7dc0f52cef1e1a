import assert from "node:assert/strict";
import { EventBus } from "../../../../runtime/events/bus.ts";
import { RestTimer } from "../../../../runtime/executions/runs/rest_timer.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { TestClock } from "../../../support/test_clock.ts";

/** Starts a timer of a service with active runs and five rests that are due. Returns the ids of the rests that it ends. */
async function endRests(active: number, seconds: number): Promise<number[]> {
  const clock = new TestClock();
  const due = [1, 2, 3, 4, 5];
  const ended: number[] = [];
  await using timer = new RestTimer({
    clock,
    log: new LogLines(),
    events: new EventBus(new LogLines()),
    active: { count: active, track: (work) => work },
    runs: { resume: () => assert.fail("no execution continues") },
    executions: {} as never,
    rests: {
      readNextRest: () =>
        Promise.resolve(due[0] === undefined ? undefined : { id: due[0], until: 0 }),
      endRest: () => {
        ended.push(due.shift() ?? 0);
        return Promise.resolve(undefined);
      },
    },
  });
  timer.start();
  for (let second = 0; second <= seconds; second++) await clock.advance(second === 0 ? 0 : 1_000);
  return ended;
}

Deno.test("a service with many active runs ends one due rest a second, in place of none", async () => {
  assert.deepEqual(await endRests(0, 0), [1, 2, 3, 4, 5]);
  assert.deepEqual(await endRests(100, 0), [1]);
  assert.deepEqual(await endRests(100, 2), [1, 2, 3]);
});
