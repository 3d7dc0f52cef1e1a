// Opens more connections to a service than the service has file descriptors.
import { join } from "node:path";
import type { FaultyWorld } from "./fault.ts";

const LIMIT = 128;
const CONNECTIONS = 200;

/** The command prefix that starts a program with a limit of 128 file descriptors. */
export const FEW_DESCRIPTORS: readonly string[] = [
  ...["sh", "-c", `ulimit -n ${LIMIT}; exec "$@"`, "sh"],
];

/** Keeps 200 connections to a service open. */
export class Exhaustion {
  readonly #world: FaultyWorld;
  readonly #held: Deno.Conn[] = [];

  constructor(world: FaultyWorld) {
    this.#world = world;
  }

  /** Opens the connections, after which the service has no file descriptor left. */
  async begin(): Promise<void> {
    for (let connection = 0; connection < CONNECTIONS; connection++) {
      this.#held.push(await this.#connect());
    }
  }

  /** Sends `request` (method and path) on a new connection and returns the whole response with its headers. */
  async ask(request: string): Promise<string> {
    const connection = await this.#connect();
    const text = `${request} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(text));
    return await new Response(connection.readable).text();
  }

  /** Closes the connections that `begin` opened. */
  end(): void {
    for (const connection of this.#held) connection.close();
  }

  #connect(): Promise<Deno.Conn> {
    const path = join(this.#world.home.stateDir, "service.sock");
    return Deno.connect({ transport: "unix", path });
  }
}
