// Fault: the connections of the service use all file descriptors except the reserve.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Exhaustion, FEW_DESCRIPTORS } from "./exhaustion.ts";
import { type Fault, openWorld } from "./fault.ts";

export const noDescriptors: Fault = {
  name:
    "A service with more connections than file descriptors runs, answers and loads what it never needed before",
  async check() {
    await using world = await openWorld({
      wrap: FEW_DESCRIPTORS,
      async prepare(home) {
        await Deno.writeTextFile(join(home.workspace, "note.txt"), "A note.\n");
        await home.writeScript("reader", [
          { delay_ms: 2_000, call: [{ name: "file_read", arguments: { path: "note.txt" } }] },
          { say: "{result}" },
        ]);
        await home.writeScript("quick", [{ say: "Done." }]);
      },
    });
    const { execution_id: reading } = await world.client.run("reader");
    // Requests for parts of the service that were not loaded before.
    const asked = [
      ...["/stats", "/executions", "/openapi.json"],
      ...["/docs/assets/redoc.standalone.js", "/ui/assets/app.js"],
    ];
    const exhaustion = new Exhaustion(world);
    await exhaustion.begin();
    for (const path of asked) {
      assert.match(await exhaustion.ask(`GET ${path}`), /HTTP\/1.1 200/, path);
    }
    assert.equal((await world.run("quick")).status, "success");
    assert.equal((await world.end(reading)).status, "success");
    exhaustion.end();
    await world.stop();
  },
};
