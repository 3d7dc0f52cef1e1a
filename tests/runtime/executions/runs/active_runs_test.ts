import assert from "node:assert/strict";
import { ActiveRuns } from "../../../../runtime/executions/runs/active_runs.ts";
import { TestClock } from "../../../support/test_clock.ts";

Deno.test("ActiveRuns stops from its beginning what comes when all have been stopped", async () => {
  const runs = new ActiveRuns(new TestClock());
  const late: boolean[] = [];
  runs.launch(1, async ({ signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    // What a parent began as it was stopped.
    runs.launch(2, ({ signal }) => Promise.resolve(late.push(signal.aborted)).then(() => {}));
  });
  await runs.drain({ graceMs: 0, error: "Aborted: service stopped" });
  assert.deepEqual(late, [true]);
});

Deno.test("ActiveRuns.started() waits for all that is about to run, and not for what fails", async () => {
  const runs = new ActiveRuns(new TestClock());
  assert.equal(runs.isStarting, false);
  const [one, two] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const changes = [runs.track(one.promise), runs.admit(() => two.promise)];
  let isOver = false;
  const started = runs.started().then(() => isOver = true);
  one.reject(new Error("the disk is full"));
  await assert.rejects(changes[0] ?? assert.fail(), { message: "the disk is full" });
  assert.equal(isOver, false);
  assert.equal(runs.isStarting, true);
  two.resolve("stored");
  assert.equal(await changes[1], "stored");
  await started;
  assert.equal(runs.isStarting, false);
});
