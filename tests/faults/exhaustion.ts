// All file descriptors of a service, taken by connections.
import { join } from "node:path";
import { untilFound } from "../e2e/real_process.ts";
import type { FaultyWorld } from "./fault.ts";

const LIMIT = 64;
const CONNECTIONS = 100;

/** Starts what follows with few descriptors. */
export const FEW_DESCRIPTORS: readonly string[] = [
  ...["sh", "-c", `ulimit -n ${LIMIT}; exec "$@"`, "sh"],
];

/** Connections from before, and those that take the rest. */
export class Exhaustion {
  readonly #world: FaultyWorld;
  readonly #early: Deno.Conn[] = [];
  readonly #held: Deno.Conn[] = [];

  private constructor(world: FaultyWorld) {
    this.#world = world;
  }

  /** Opens so many connections for `ask`; the service has accepted them when this returns. */
  static async prepare(
    world: FaultyWorld,
    { requests }: { requests: number },
  ): Promise<Exhaustion> {
    const exhaustion = new Exhaustion(world);
    for (let n = 0; n < requests; n++) {
      const connection = await exhaustion.#connect();
      await send(connection, "GET /health");
      await connection.read(new Uint8Array(4_096));
      exhaustion.#early.push(connection);
    }
    return exhaustion;
  }

  /** Takes all descriptors. */
  async begin(): Promise<void> {
    for (let connection = 0; connection < CONNECTIONS; connection++) {
      // Those that the service cannot accept wait in the socket's queue, until that is full.
      // Where it has to listen anew, there is a moment without a socket.
      this.#held.push(
        await untilFound("a connection", () => this.#connect().catch(() => undefined)),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }

  /** The answer to a request over one of the connections from before, headers and all. */
  async ask(request: string): Promise<string> {
    const connection = this.#early.shift();
    if (connection === undefined) throw new TypeError("no connection is left");
    await send(connection, request, "connection: close\r\n");
    return await new Response(connection.readable).text();
  }

  /** Gives them back, and waits until the service answers as ever. */
  async end(): Promise<void> {
    for (const connection of this.#held) connection.close();
    // Those that waited to be accepted when it listened anew were cut off; it comes back by itself.
    const { client } = this.#world;
    await untilFound("the service", () => client.health().catch(() => undefined));
  }

  #connect(): Promise<Deno.Conn> {
    const path = join(this.#world.home.stateDir, "service.sock");
    return Deno.connect({ transport: "unix", path });
  }
}

async function send(connection: Deno.Conn, request: string, headers = ""): Promise<void> {
  const text = `${request} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`;
  await connection.write(new TextEncoder().encode(text));
}
