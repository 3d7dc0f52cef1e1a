// A sample of `deno task crash`: kills at a few random moments, and deaths while what another service left is taken up.
import assert from "node:assert/strict";
import { SQLITE } from "../../support/test_database.ts";
import { ALL_ACCEPTED, recoveryPoints } from "../../../proof/crash/crash_points.ts";
import { CrashWorld } from "../../../proof/crash/crash_world.ts";
import { seededRandom } from "../../support/seeded_random.ts";

const MOMENTS = 4;
/** Less than the runs take together; where they take less, a moment is made earlier. */
const LATEST_MS = 200;

const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 1;
const draw = seededRandom(seed);
const moments = Array.from({ length: MOMENTS }, () => Math.round(draw() * LATEST_MS));
console.log(`Seed ${seed} kills after ${moments.join(", ")} ms`);

for (const [index, moment] of moments.entries()) {
  Deno.test(`kill -9 at random moment ${index + 1} of ${MOMENTS}: nothing logged is lost, no unsafe call runs twice, every run ends`, async () => {
    await using world = await CrashWorld.open();
    for (let killAfterMs = moment; world.kills === 0; killAfterMs = Math.floor(killAfterMs / 2)) {
      await world.round({ killAfterMs });
      assert.ok(world.kills > 0 || killAfterMs > 0, "every moment came after the last run's end");
    }
    assert.equal(world.kills, 1);
  });
}

for (const point of recoveryPoints(2)) {
  // Where several machines share them, runs are taken over by claims.
  const options = point.name.endsWith("a run is taken over") ? SQLITE : {};
  Deno.test(
    `death ${point.name}, after another: nothing logged is lost, no unsafe call runs twice, every run ends`,
    options,
    async () => {
      await using world = await CrashWorld.open();
      await world.round({ point: ALL_ACCEPTED }, { point });
      assert.deepEqual([...world.deathsAt], [[ALL_ACCEPTED.name, 1], [point.name, 1]]);
    },
  );
}
