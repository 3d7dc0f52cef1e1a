// More connections to a service than it has file descriptors.
import { join } from "node:path";
import type { FaultyWorld } from "./fault.ts";

const LIMIT = 128;
const CONNECTIONS = 200;

/** The command prefix that starts a program with few descriptors. */
export const FEW_DESCRIPTORS: readonly string[] = [
  ...["sh", "-c", `ulimit -n ${LIMIT}; exec "$@"`, "sh"],
];

/** Connections that stay open. */
export class Exhaustion {
  readonly #world: FaultyWorld;
  readonly #held: Deno.Conn[] = [];

  constructor(world: FaultyWorld) {
    this.#world = world;
  }

  /** Opens connections until the service has no descriptors left. */
  async begin(): Promise<void> {
    for (let connection = 0; connection < CONNECTIONS; connection++) {
      this.#held.push(await this.#connect());
    }
  }

  /** Returns the answer to a request, with its headers. */
  async ask(request: string): Promise<string> {
    const connection = await this.#connect();
    const text = `${request} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(text));
    return await new Response(connection.readable).text();
  }

  /** Closes the connections. */
  end(): void {
    for (const connection of this.#held) connection.close();
  }

  #connect(): Promise<Deno.Conn> {
    const path = join(this.#world.home.stateDir, "service.sock");
    return Deno.connect({ transport: "unix", path });
  }
}
