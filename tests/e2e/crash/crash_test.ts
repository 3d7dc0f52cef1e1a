// A sample of `deno task crash`: the service is killed when all runs are accepted, while the next one resumes them, and
// during a tool call of the third.
import assert from "node:assert/strict";
import { SQLITE } from "../../support/test_database.ts";
import { ALL_ACCEPTED, crashPoints, recoveryPoints } from "../../../proof/crash/crash_points.ts";
import { CrashWorld } from "../../../proof/crash/crash_world.ts";

Deno.test(
  "three kills: every run ends, and no unsafe call runs twice",
  // Nodes with a shared database resume runs in another way, so these kill points are SQLite's.
  SQLITE,
  async () => {
    const points = [
      ALL_ACCEPTED,
      recoveryPoints(2).find(({ name }) => name === "after a run is taken over"),
      crashPoints(3).find(({ name }) => name === "after a tool"),
    ].filter((point) => point !== undefined);
    await using world = await CrashWorld.open();
    const [first, ...later] = points.map((point) => ({ point }));
    await world.round(first!, ...later);
    assert.deepEqual([...world.deathsAt], points.map(({ name }) => [name, 1]));
    assert.equal(points.length, 3);
  },
);
