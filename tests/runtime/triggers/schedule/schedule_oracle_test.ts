// A sample of `deno task schedules`.
import assert from "node:assert/strict";
import { compareWorld } from "../../../../proof/schedules/comparison.ts";
import { runManyClaims } from "../../../../proof/schedules/many_claims.ts";
import { clockChanges, createRandomWorld } from "../../../../proof/schedules/random_world.ts";

Deno.test("each slot of six random schedules is run, skipped or missed, as an oracle expects", async () => {
  const changes = clockChanges().length;
  const counts = { run: 0, skipped: 0, missed: 0 };
  for (let number = 0; number < 6; number++) {
    // Half of them around a change of the clock, in all five zones; half around any date.
    const world = createRandomWorld(number % 2 === 0 ? number * 4 : changes + number);
    const comparison = await compareWorld(world);
    assert.deepEqual(comparison.differences, [], `world ${number}`);
    counts.run += comparison.counts.run;
    counts.skipped += comparison.counts.skipped;
    counts.missed += comparison.counts.missed;
  }
  for (const [outcome, count] of Object.entries(counts)) {
    assert.ok(count > 20, `only ${count} slots were ${outcome}`);
  }
});

Deno.test("fifty agents due at once, ten times, across a restart, claim each slot once", async () => {
  const { claims, expected, wrong, timers } = await runManyClaims({ agents: 50, times: 10 });
  assert.deepEqual({ claims, wrong, timers }, { claims: expected, wrong: [], timers: 1 });
});
