// A sample of `deno task crash`: a death after each change that is stored, and after a call that left no trace but its effect.
import assert from "node:assert/strict";
import { crashPoints } from "../../../proof/crash/crash_points.ts";
import { CrashWorld } from "../../../proof/crash/crash_world.ts";

const SAMPLE = crashPoints(3).filter(({ when, method }) =>
  when === "after" || method === "finishCall"
);

for (const point of SAMPLE) {
  Deno.test(`death ${point.name}: nothing logged is lost, no unsafe call runs twice, every run ends`, async () => {
    await using world = await CrashWorld.open();
    await world.round({ point });
    assert.deepEqual([...world.deathsAt], [[point.name, 1]]);
  });
}
