// A sample of `deno task replay`: a few generated runs on a service that is killed. Each run is replayed, and forked at
// every step.
import assert from "node:assert/strict";
import { forkAll } from "../../proof/replay/fork_all.ts";
import { createMix } from "../../proof/replay/mix.ts";
import { recordMix } from "../../proof/replay/record_mix.ts";
import { replayAll } from "../../proof/replay/replay_all.ts";
import { seededRandom } from "../support/seeded_random.ts";

Deno.test("generated runs on a killed service replay without a difference", async () => {
  const draw = seededRandom(20_260_207);
  // The mix cancels runs at random, so a mix may contain no unsafe call before a fork.
  for (let attempt = 0; attempt < 10; attempt++) {
    await using mix = await createMix();
    const { place } = mix;
    await recordMix(mix, { runs: 5, lives: 2, draw, customShare: 0.5 });
    const { executions, differences } = await replayAll({ shell: place.shell, home: place.root });
    assert.ok(executions >= 5);
    assert.deepEqual(differences, []);
    const { runs, forks, takenOver, problems } = await forkAll(mix, { draw, most: 2 });
    assert.deepEqual(problems, []);
    if (forks > runs && takenOver > 0) return;
  }
  assert.fail("no fork took over an unsafe call");
});
