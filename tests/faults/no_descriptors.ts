// A process that has no file descriptor left.
import assert from "node:assert/strict";
import { join } from "node:path";
import { getOverSocket } from "../../server/socket_request.ts";
import { Exhaustion, FEW_DESCRIPTORS } from "./exhaustion.ts";
import { assertNoTrace, type Fault, openWorld } from "./fault.ts";

/** What is loaded soon after the start is loaded by then. */
const WARM_MS = 1_500;

export const noDescriptors: Fault = {
  name:
    "A service without a file descriptor left stays alive, and works again as soon as there are some",
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
    // Requests that nobody made yet.
    const asked = ["/stats", "/executions", "/openapi.json"];
    const exhaustion = await Exhaustion.prepare(world, { requests: asked.length });
    await new Promise((resolve) => setTimeout(resolve, WARM_MS));
    await exhaustion.begin();
    for (const path of asked) {
      assert.match(await exhaustion.ask(`GET ${path}`), /HTTP\/1.1 (200|500|503)/, path);
    }
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await exhaustion.end();
    const ended = await world.end(reading);
    assert.ok(["success", "error"].includes(ended.status), ended.status);
    assertNoTrace(ended.error ?? "");
    assert.equal((await world.run("quick")).status, "success");
    await world.stop();
  },
};

export const noDescriptorsForTheFirst: Fault = {
  name:
    "What is done for the first time without a file descriptor left says so, and works as soon as there are some",
  async check() {
    await using world = await openWorld({
      wrap: FEW_DESCRIPTORS,
      prepare: (home) => home.writeScript("quick", [{ say: "Done." }]),
    });
    const pages = ["/docs/assets/redoc.standalone.js", "/ui/assets/app.js"];
    const exhaustion = await Exhaustion.prepare(world, { requests: 1 + pages.length });
    await new Promise((resolve) => setTimeout(resolve, WARM_MS));
    await exhaustion.begin();
    const accepted = /{"execution_id":(\d+)/.exec(await exhaustion.ask("POST /agents/quick/run"));
    for (const page of pages) {
      assert.match(await exhaustion.ask(`GET ${page}`), /HTTP\/1.1 503[^]*too many files/, page);
    }
    await exhaustion.end();
    const ended = await world.end(Number(accepted?.[1]));
    assert.equal(ended.status, "error");
    assert.match(ended.error ?? "", /too many files and connections open/);
    assert.equal((await world.run("quick")).status, "success");
    for (const page of pages) {
      const { status, text } = await getOverSocket(
        join(world.home.stateDir, "service.sock"),
        page,
        {},
      );
      assert.equal(status, 200, page);
      assert.ok(text.length > 1_000, page);
    }
    await world.stop();
  },
};
