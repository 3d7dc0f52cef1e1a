// A process that has no file descriptor left.
import assert from "node:assert/strict";
import { join } from "node:path";
import { assertNoTrace, type Fault, openWorld } from "./fault.ts";

const LIMIT = 64;
const CONNECTIONS = 100;

export const noDescriptors: Fault = {
  name:
    "A service without a file descriptor left stays alive, and works again as soon as there are some",
  async check() {
    await using world = await openWorld({
      wrap: ["sh", "-c", `ulimit -n ${LIMIT}; exec "$@"`, "sh"],
      async prepare(home) {
        await Deno.writeTextFile(join(home.workspace, "note.txt"), "A note.\n");
        await home.writeScript("reader", [
          { delay_ms: 2_000, call: [{ name: "file_read", arguments: { path: "note.txt" } }] },
          { say: "{result}" },
        ]);
        await home.writeScript("quick", [{ say: "Done." }]);
      },
    });
    const { client, home } = world;
    const { execution_id: reading } = await client.run("reader");
    const path = join(home.stateDir, "service.sock");
    const held: Deno.Conn[] = [];
    for (let connection = 0; connection < CONNECTIONS; connection++) {
      // Those that the service cannot accept wait in the socket's queue, until that is full.
      held.push(await Deno.connect({ transport: "unix", path }));
    }
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    for (const connection of held) connection.close();
    const ended = await world.end(reading);
    assert.ok(["success", "error"].includes(ended.status), ended.status);
    assertNoTrace(ended.error ?? "");
    assert.equal((await world.run("quick")).status, "success");
    await world.stop();
  },
};
