// Runs a small sample of the random schedules of `deno task schedules`.
import assert from "node:assert/strict";
import { compareWorld } from "../../../../proof/schedules/comparison.ts";
import { runManyClaims } from "../../../../proof/schedules/many_claims.ts";
import { createRandomWorld } from "../../../../proof/schedules/random_world.ts";

Deno.test("the outcomes of two random schedules equal those of an independent calculation", async () => {
  const counts = { run: 0, skipped: 0, missed: 0 };
  // Both contain a clock change.
  for (const number of [3, 6]) {
    const comparison = await compareWorld(createRandomWorld(number));
    assert.deepEqual(comparison.differences, [], `world ${number}`);
    counts.run += comparison.counts.run;
    counts.skipped += comparison.counts.skipped;
    counts.missed += comparison.counts.missed;
  }
  for (const [outcome, count] of Object.entries(counts)) {
    assert.ok(count > 20, `only ${count} slots were ${outcome}`);
  }
});

Deno.test("fifty agents that are due together claim each due time once, also across a restart", async () => {
  const { claims, expected, wrong, timers } = await runManyClaims({ agents: 50, times: 10 });
  assert.deepEqual({ claims, wrong, timers }, { claims: expected, wrong: [], timers: 1 });
});
