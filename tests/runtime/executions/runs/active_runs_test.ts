import assert from "node:assert/strict";
import { ActiveRuns } from "../../../../runtime/executions/runs/active_runs.ts";
import { settle, TestClock } from "../../../support/test_clock.ts";

Deno.test("ActiveRuns keeps hold of a run that began before the one of the same id had returned", async () => {
  const runs = new ActiveRuns(new TestClock());
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  runs.launch(1, () => first.promise);
  runs.launch(1, () => second.promise);
  first.resolve();
  await settle();
  assert.equal(runs.stop(1, "Cancelled by user"), true);
  second.resolve();
  await settle();
  assert.equal(runs.stop(1, "Cancelled by user"), false);
});

Deno.test("ActiveRuns stops no run that has left", async () => {
  const runs = new ActiveRuns(new TestClock());
  const end = Promise.withResolvers<void>();
  let isStopped = false;
  runs.launch(1, async (signal, leave) => {
    await Promise.resolve();
    leave();
    await end.promise;
    isStopped = signal.aborted;
  });
  await settle();
  assert.equal(runs.stop(1, "Cancelled by user"), false);
  end.resolve();
  await settle();
  assert.equal(isStopped, false);
});

Deno.test("ActiveRuns stops from its beginning what comes when all have been stopped", async () => {
  const runs = new ActiveRuns(new TestClock());
  const late: boolean[] = [];
  runs.launch(1, async (signal) => {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    // What a parent began as it was stopped.
    runs.launch(2, (signal) => Promise.resolve(late.push(signal.aborted)).then(() => {}));
  });
  await runs.drain({ graceMs: 0, error: "Aborted: service stopped" });
  assert.deepEqual(late, [true]);
});
