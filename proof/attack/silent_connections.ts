// Attacks the service with connections that use up file descriptors and send nothing, half a request head, or half a body.
import { join } from "node:path";
import { openWorld } from "../faults/fault.ts";
import type { Attack } from "./attack.ts";

/** The limit of file descriptors of the service. */
const DESCRIPTORS = 160;
const NOTHING = "";
const HALF_HEAD = "GET /health HTTP/1.1\r\nhost: loc";
const HALF_BODY = "POST /agents/reader/run HTTP/1.1\r\nhost: localhost\r\n" +
  "content-type: application/json\r\ncontent-length: 100\r\n\r\n{";

export const silentConnections: Attack = {
  name: "silent connections",
  claim: "a flood of connections without a request blocks no client and ends no run",
  tries: { full: 3_000, sample: 100 },
  async run(tries) {
    await using world = await openWorld({
      wrap: ["sh", "-c", `ulimit -n ${DESCRIPTORS}; exec "$@"`, "sh"],
      async prepare(home) {
        await Deno.writeTextFile(join(home.workspace, "note.txt"), "A note.\n");
        await home.writeScript("reader", [
          { delay_ms: 300, call: [{ name: "file_read", arguments: { path: "note.txt" } }] },
          { say: "{result}" },
        ]);
      },
    });
    const path = join(world.home.stateDir, "service.sock");
    const held: Deno.Conn[] = [];
    const successes: string[] = [];
    try {
      const hold = async (bytes: string) => {
        const connection = await Deno.connect({ transport: "unix", path });
        held.push(connection);
        // The write fails if the service has already closed the connection.
        await connection.write(new TextEncoder().encode(bytes)).catch(() => 0);
      };
      const check = async (what: string) => {
        const { status, error } = await world.run("reader").catch((error) => ({
          status: "refused",
          error: String(error),
        }));
        if (status !== "success") successes.push(`${what}: a run was ${status}: ${error}`);
      };
      for (let n = 1; n <= tries; n++) {
        await hold(n % 2 === 0 ? NOTHING : HALF_HEAD);
        if (n % 150 === 0) await check(`after ${n} connections`);
      }
      const { execution_id: id } = await world.client.run("reader");
      // Connections with half a body count as open requests of the user. They may keep new requests out, but must not
      // affect a run.
      for (let n = 0; n < DESCRIPTORS; n++) await hold(HALF_BODY);
      for (const one of held.splice(0)) one.close();
      const { status, error } = await world.end(id);
      if (status !== "success") {
        successes.push(`among halves of bodies a run was ${status}: ${error}`);
      }
      await check("after all");
    } finally {
      for (const one of held) one.close();
    }
    return { tried: tries + DESCRIPTORS, successes };
  },
};
