// A sample of `deno task crash`: a kill during a tool call, and one while the next service resumes runs.
import assert from "node:assert/strict";
import { SQLITE } from "../../support/test_database.ts";
import { ALL_ACCEPTED, crashPoints, recoveryPoints } from "../../../proof/crash/crash_points.ts";
import { CrashWorld } from "../../../proof/crash/crash_world.ts";

const STEPS = ["after a tool"];
const RECOVERY = ["after a run is taken over"];

const named = (names: readonly string[]) => ({ name }: { name: string }) => names.includes(name);

for (const point of crashPoints(3).filter(named(STEPS))) {
  Deno.test(`kill ${point.name}: nothing logged is lost, no unsafe call runs twice, every run ends`, async () => {
    await using world = await CrashWorld.open();
    await world.round({ point });
    assert.deepEqual([...world.deathsAt], [[point.name, 1]]);
  });
}

for (const point of recoveryPoints(2).filter(named(RECOVERY))) {
  Deno.test(
    `death ${point.name}, after another: nothing logged is lost, no unsafe call runs twice, every run ends`,
    // Several machines resume runs by claims.
    SQLITE,
    async () => {
      await using world = await CrashWorld.open();
      await world.round({ point: ALL_ACCEPTED }, { point });
      assert.deepEqual([...world.deathsAt], [[ALL_ACCEPTED.name, 1], [point.name, 1]]);
    },
  );
}
