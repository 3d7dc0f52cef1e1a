// A sample of `deno task crash`: the service is killed during a tool call, and while it resumes the runs of a killed
// service.
import assert from "node:assert/strict";
import { SQLITE } from "../../support/test_database.ts";
import { ALL_ACCEPTED, crashPoints, recoveryPoints } from "../../../proof/crash/crash_points.ts";
import { CrashWorld } from "../../../proof/crash/crash_world.ts";

const STEPS = ["after a tool"];
const RECOVERY = ["after a run is taken over"];

const named = (names: readonly string[]) => ({ name }: { name: string }) => names.includes(name);

for (const point of crashPoints(3).filter(named(STEPS))) {
  Deno.test(`kill ${point.name}: every run ends, and no unsafe call runs twice`, async () => {
    await using world = await CrashWorld.open();
    await world.round({ point });
    assert.deepEqual([...world.deathsAt], [[point.name, 1]]);
  });
}

for (const point of recoveryPoints(2).filter(named(RECOVERY))) {
  Deno.test(
    `second kill ${point.name}: every run ends, and no unsafe call runs twice`,
    // Nodes with a shared database resume runs in another way, so these kill points are SQLite's.
    SQLITE,
    async () => {
      await using world = await CrashWorld.open();
      await world.round({ point: ALL_ACCEPTED }, { point });
      assert.deepEqual([...world.deathsAt], [[ALL_ACCEPTED.name, 1], [point.name, 1]]);
    },
  );
}
