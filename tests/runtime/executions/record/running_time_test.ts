import assert from "node:assert/strict";
import { RunningTime } from "../../../../runtime/executions/record/running_time.ts";
import { TestClock } from "../../../support/test_clock.ts";

Deno.test("RunningTime gives each millisecond once, and again only what was put back", async () => {
  const clock = new TestClock();
  const running = new RunningTime(clock);
  await clock.advance(40);
  assert.equal(running.take(), 40);
  assert.equal(running.take(), 0);
  await clock.advance(5);
  assert.equal(running.take(), 5);
  running.putBack();
  await clock.advance(2);
  assert.equal(running.take(), 7);
});

Deno.test("RunningTime counts a clock that was set back as no time", async () => {
  const clock = new TestClock();
  const running = new RunningTime(clock);
  clock.jump(-60_000);
  assert.equal(running.take(), 0);
  await clock.advance(3);
  assert.equal(running.take(), 3);
});
