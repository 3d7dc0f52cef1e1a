// Attacks the service with followers that never read the large frames of an execution.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { MOST_STREAMS } from "../../server/listeners/connections.ts";
import { openWorld } from "../faults/fault.ts";
import { residentMb } from "../soak/process_table.ts";
import type { Attack } from "./attack.ts";

const FRAMES = 8;
const FRAME_CHARACTERS = 2_000_000;
/** The allowed growth of memory in MB: a fixed part and a part for each follower. */
const MAX_MB = { ofAll: 96, ofEach: 0.75 };
/** The number of memory measurements after all followers have connected, with one request before each. */
const READINGS = 15;

export const silentFollowers: Attack = {
  name: "silent followers",
  claim:
    "followers that do not read use no memory for their unread frames, and their number is limited",
  tries: { full: 1_200, sample: 40 },
  async run(tries) {
    await using world = await openWorld({
      prepare: (home) => home.writeScript("writer", [{ say: "Done." }]),
    });
    const { id } = await world.run("writer");
    const first = addFrames(join(world.home.stateDir, "inkling.db"), id);
    const path = join(world.home.stateDir, "service.sock");
    const before = await residentMb(world.pid);
    let most = before;
    let streams = 0;
    const held: Deno.Conn[] = [];
    try {
      for (let n = 0; n < tries; n++) {
        const connection = await Deno.connect({ transport: "unix", path });
        held.push(connection);
        // The followers begin at different frames.
        const request = `GET /executions/${id}/stream?after=${first + n % 5} HTTP/1.1\r\n` +
          "host: localhost\r\n\r\n";
        await connection.write(new TextEncoder().encode(request));
        // Send a request now and then, so that the service accepts the connections before the system's queue of new
        // connections is full.
        if (n % 64 === 0) await world.client.health();
      }
      for (let n = 0; n < READINGS; n++) {
        streams = Math.max(streams, (await world.client.info()).active_streams);
        most = Math.max(most, await residentMb(world.pid));
      }
    } finally {
      for (const one of held) one.close();
    }
    const grown = Math.round(most - before);
    const allowed = MAX_MB.ofAll + MAX_MB.ofEach * Math.min(tries, MOST_STREAMS);
    return {
      tried: tries,
      successes: [
        ...(grown > allowed ? [`the service took ${grown} MB more, not ${allowed} MB`] : []),
        ...(streams > MOST_STREAMS ? [`${streams} streams were open at once`] : []),
      ],
      note: `${streams} streams, ${grown} MB`,
    };
  },
};

/** Adds large frames to the log of an execution in the database. Returns the id before the first of them. */
function addFrames(file: string, executionId: number): number {
  using db = new DatabaseSync(file);
  // The euro sign takes two bytes in a JavaScript string and three in UTF-8.
  const payload = JSON.stringify({ content: "€".repeat(FRAME_CHARACTERS) });
  const add = db.prepare("INSERT INTO frames (execution_id, event, payload) VALUES (?, ?, ?)");
  let last = 0;
  for (let n = 0; n < FRAMES; n++) {
    last = Number(add.run(executionId, "tool_result", payload).lastInsertRowid);
  }
  return last - FRAMES;
}
