import assert from "node:assert/strict";
import { serve } from "../../../server/mod.ts";
import { openSocketClient } from "../../../api/client/client.ts";
import { openHttpClient } from "../../../api/client/http_client.ts";
import { differences, readWithCuts } from "../../../proof/load/cuts.ts";
import { seededRandom } from "../../support/seeded_random.ts";
import { runFollowers } from "../../../proof/load/followers.ts";
import { writeBusyAgent } from "../../../proof/load/many_frames.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

Deno.test("ten followers of one execution each get every frame once in order", async () => {
  const report = await runFollowers({ followers: 10, frames: 50, connectMs: 200 });
  assert.deepEqual(report.wrong, []);
  assert.ok(report.frames >= 45, `${report.frames} frames`);
});

Deno.test("a reader that is disconnected ten times reads exactly the stored frames", async () => {
  await using workspace = await createTestWorkspace();
  await writeBusyAgent(workspace, { frames: 80, delayMs: 0 });
  await using runtime = await workspace.open();
  const service = await serve(runtime, { keepAlive: true });
  const path = runtime.directories.socketFile;
  using http = openHttpClient(path);
  using client = openSocketClient(path);
  const random = seededRandom(7);
  let cuts = 0;
  // Each reader starts while the execution still logs, and ends with stored frames.
  while (cuts < 10) {
    const { execution_id } = await client.run("busy");
    const door = { base: "http://localhost", init: { client: http } };
    const reading = await readWithCuts(door, execution_id, { random, mostFrames: 8 });
    assert.deepEqual(await differences(runtime, execution_id, reading.frames), []);
    cuts += reading.cuts;
  }
  await service.shutdown("requested");
  assert.equal(workspace.logged.filter(({ level }) => level === "error").length, 0);
});
