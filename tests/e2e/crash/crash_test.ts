// A sample of `deno task crash`: deaths at a few steps of a run, while another service's runs are resumed, and at a random moment.
import assert from "node:assert/strict";
import { SQLITE } from "../../support/test_database.ts";
import { ALL_ACCEPTED, crashPoints, recoveryPoints } from "../../../proof/crash/crash_points.ts";
import { CrashWorld } from "../../../proof/crash/crash_world.ts";

const STEPS = ["after a parent waits", "after a tool", "after a result is stored"];
const RECOVERY = ["after a run is taken over", "after what was left is ended"];
/** Less than the runs take together; where they take less, a moment is made earlier. */
const LATEST_MS = 200;

const named = (names: readonly string[]) => ({ name }: { name: string }) => names.includes(name);

for (const point of crashPoints(3).filter(named(STEPS))) {
  Deno.test(`death ${point.name}: nothing logged is lost, no unsafe call runs twice, every run ends`, async () => {
    await using world = await CrashWorld.open();
    await world.round({ point });
    assert.deepEqual([...world.deathsAt], [[point.name, 1]]);
  });
}

for (const point of recoveryPoints(2).filter(named(RECOVERY))) {
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

Deno.test("kill -9 at a random moment: nothing logged is lost, no unsafe call runs twice, every run ends", async () => {
  await using world = await CrashWorld.open();
  let killAfterMs = Math.round(Math.random() * LATEST_MS);
  console.log(`Kills after ${killAfterMs} ms`);
  for (; world.kills === 0; killAfterMs = Math.floor(killAfterMs / 2)) {
    await world.round({ killAfterMs });
    assert.ok(world.kills > 0 || killAfterMs > 0, "every moment came after the last run's end");
  }
});
