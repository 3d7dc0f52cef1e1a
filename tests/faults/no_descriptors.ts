// A process that has no file descriptor left.
import assert from "node:assert/strict";
import { join } from "node:path";
import { untilFound } from "../e2e/real_process.ts";
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
    // Open from before, for requests that nobody made yet. The service has accepted them when each has had an answer.
    const early = new Map<string, Deno.Conn>();
    for (const asked of ["/stats", "/executions", "/openapi.json"]) {
      const connection = await Deno.connect({ transport: "unix", path });
      await ask(connection, "/health");
      await connection.read(new Uint8Array(4_096));
      early.set(asked, connection);
    }
    // What is loaded soon after the start is loaded by then.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const held: Deno.Conn[] = [];
    for (let connection = 0; connection < CONNECTIONS; connection++) {
      // Those that the service cannot accept wait in the socket's queue, until that is full.
      // Where it has to listen anew, there is a moment without a socket.
      held.push(
        await untilFound(
          "a connection",
          () => Deno.connect({ transport: "unix", path }).catch(() => undefined),
        ),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    for (const [asked, connection] of early) {
      await ask(connection, asked, "connection: close\r\n");
      assert.match(
        await new Response(connection.readable).text(),
        /HTTP\/1.1 (200|500|503)/,
        asked,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    for (const connection of held) connection.close();
    // Those that waited to be accepted when it listened anew were cut off; it comes back by itself.
    await untilFound("the service", () => client.health().catch(() => undefined));
    const ended = await world.end(reading);
    assert.ok(["success", "error"].includes(ended.status), ended.status);
    assertNoTrace(ended.error ?? "");
    assert.equal((await world.run("quick")).status, "success");
    await world.stop();
  },
};

async function ask(connection: Deno.Conn, path: string, headers = ""): Promise<void> {
  const request = `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`;
  await connection.write(new TextEncoder().encode(request));
}
