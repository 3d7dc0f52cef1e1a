// A sample of `deno task crash`: kills at random moments, and a death at each named point.
import { crashPoints } from "../crash/crash_points.ts";
import { CrashWorld } from "../crash/crash_world.ts";

Deno.test("kill -9 at random moments: nothing logged is lost, no unsafe call runs twice, every run ends", async () => {
  await using world = await CrashWorld.open();
  for (const killAfterMs of [5, 60, 200]) await world.round({ killAfterMs });
});

for (const point of crashPoints(3)) {
  Deno.test(`death ${point.name}: nothing logged is lost, no unsafe call runs twice, every run ends`, async () => {
    await using world = await CrashWorld.open();
    await world.round({ point });
  });
}
