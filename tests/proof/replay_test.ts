// A sample of `deno task replay`: a few runs of the mix, each replayed.
import assert from "node:assert/strict";
import { createMix, recordMix } from "../../proof/replay/mix.ts";
import { replayAll } from "../../proof/replay/replay_all.ts";
import { seededRandom } from "../support/seeded_random.ts";

Deno.test("runs of a generated mix, stopped in between, replay without a difference", async () => {
  await using place = await createMix();
  await recordMix(place, { runs: 16, starts: 2, draw: seededRandom(20_260_131) });
  const { executions, differences } = await replayAll({ shell: place.shell, home: place.root });
  assert.ok(executions >= 16);
  assert.deepEqual(differences, []);
});
