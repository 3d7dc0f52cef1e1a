import assert from "node:assert/strict";
import { countRuns } from "../../present/recap.ts";

Deno.test("countRuns() counts a resting execution neither as running nor as cancelled", () => {
  const executions = { total: 7, succeeded: 1, failed: 1, running: 1, resting: 2, waiting: 1 };
  assert.deepEqual(countRuns({ executions }).map(({ count, word }) => `${count} ${word}`), [
    "1 succeeded",
    "1 failed",
    "1 cancelled",
    "1 running",
    "2 resting",
    "1 waiting",
  ]);
});
