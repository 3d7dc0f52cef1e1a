// Fault: the connections of the service use all file descriptors except the reserve.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Fault, openWorld } from "./fault.ts";

const DESCRIPTORS = 128;
const CONNECTIONS = 200;

export const noDescriptors: Fault = {
  name:
    "A service with more connections than file descriptors runs, answers and loads what it never needed before",
  async check() {
    await using world = await openWorld({
      wrap: ["sh", "-c", `ulimit -n ${DESCRIPTORS}; exec "$@"`, "sh"],
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
    const path = join(world.home.stateDir, "service.sock");
    const connect = () => Deno.connect({ transport: "unix", path });
    const held: Deno.Conn[] = [];
    for (let number = 0; number < CONNECTIONS; number++) held.push(await connect());
    for (const address of asked) {
      const connection = await connect();
      const text = `GET ${address} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`;
      await connection.write(new TextEncoder().encode(text));
      assert.match(await new Response(connection.readable).text(), /HTTP\/1.1 200/, address);
    }
    assert.equal((await world.run("quick")).status, "success");
    assert.equal((await world.end(reading)).status, "success");
    for (const connection of held) connection.close();
    await world.stop();
  },
};
