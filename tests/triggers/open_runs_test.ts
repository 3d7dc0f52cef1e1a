import assert from "node:assert/strict";
import fc from "fast-check";
import { OpenRuns } from "../../runtime/triggers/open_runs.ts";

const run = (executionId: number, path = `/in/${executionId}`) => (
  { executionId, path, isRunning: true }
);

Deno.test("OpenRuns counts a run while it runs, and not while it waits or when it has ended", () => {
  const runs = new OpenRuns();
  assert.ok(runs.add(run(1)) && runs.add(run(2, "/in/1")));
  assert.deepEqual(runs.busyPaths(), ["/in/1", "/in/1"]);
  runs.left(1, "execution_waiting");
  assert.deepEqual(runs.busyPaths(), ["/in/1"]);
  runs.resumed(1);
  assert.equal(runs.busyPaths().length, 2);
  runs.left(1, "execution_completed");
  runs.resumed(1);
  assert.equal(runs.busyPaths().length, 1);
});

Deno.test("OpenRuns takes up a run that waits, which counts once it goes on", () => {
  const runs = new OpenRuns();
  runs.add({ ...run(1), isRunning: false });
  assert.deepEqual(runs.busyPaths(), []);
  runs.resumed(1);
  assert.deepEqual(runs.busyPaths(), ["/in/1"]);
});

Deno.test("OpenRuns knows of a run that ended before it was known to have started", async () => {
  const runs = new OpenRuns();
  for (const how of ["execution_completed", "execution_waiting"] as const) {
    const counted = await runs.whileStarting(() => {
      runs.left(7, how);
      return Promise.resolve(runs.add(run(7)));
    });
    assert.deepEqual([counted, runs.busyPaths()], [false, []]);
  }
});

Deno.test("OpenRuns remembers others' ends only while something starts, and after a failed start no more", async () => {
  const runs = new OpenRuns();
  runs.left(7, "execution_completed");
  assert.ok(runs.add(run(7)));
  await assert.rejects(runs.whileStarting(() => {
    runs.left(8, "execution_completed");
    return Promise.reject(new Error("The disk is full"));
  }));
  assert.ok(runs.add(run(8)));
});

Deno.test("OpenRuns ends with nothing busy when all runs have ended, in whatever order it is told", () => {
  const event = fc.record({
    id: fc.integer({ min: 1, max: 4 }),
    what: fc.constantFrom("add", "wait", "resume"),
  });
  fc.assert(fc.property(fc.array(event), (events) => {
    const runs = new OpenRuns();
    for (const { id, what } of events) {
      if (what === "add") runs.add(run(id));
      else if (what === "wait") runs.left(id, "execution_waiting");
      else runs.resumed(id);
    }
    for (const id of [1, 2, 3, 4]) runs.left(id, "execution_completed");
    assert.deepEqual(runs.busyPaths(), []);
  }));
});
