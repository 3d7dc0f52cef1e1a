// A sample of `deno task crash`: a death at each named point.
import assert from "node:assert/strict";
import { crashPoints } from "../../../proof/crash/crash_points.ts";
import { CrashWorld } from "../../../proof/crash/crash_world.ts";

for (const point of crashPoints(3)) {
  Deno.test(`death ${point.name}: nothing logged is lost, no unsafe call runs twice, every run ends`, async () => {
    await using world = await CrashWorld.open();
    await world.round({ point });
    assert.deepEqual([...world.deathsAt], [[point.name, 1]]);
  });
}
