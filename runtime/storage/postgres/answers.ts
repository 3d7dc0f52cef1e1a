// Waiting for answers of PostgreSQL: as long as it is at work, and not for ever where nothing comes back.
// @ts-types="@types/pg"
import type { Client, ClientBase } from "pg";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { type Clock, NO_LONGER_NEEDED } from "../../../base/clock.ts";
import type { ConnectionConfig, ConnectionLimits } from "./connection.ts";

/** What is asked with. */
export interface AnswersPorts {
  Client: new (config: ConnectionConfig & { query_timeout: number }) => Client;
  config: ConnectionConfig;
  limits: ConnectionLimits;
  clock: Clock;
}

/**
 * The answers that are waited for. A connection can be swallowed on its way (a firewall that forgot it, a frozen machine)
 * without that either side hears of it. So where an answer takes long, the server is asked on a new connection whether it is
 * at work for it; where it is not, or does not answer that either, the old connection is ended.
 */
export class Answers {
  readonly #ports: AnswersPorts;
  /** How many connections there are. */
  connections = 0;
  readonly #processes = new WeakMap<ClientBase, number>();
  #asking: Promise<(pid: number | undefined) => boolean> | undefined;

  constructor(ports: AnswersPorts) {
    this.#ports = ports;
  }

  /** Tells which process of the server is at the other end of a new connection. */
  know(client: ClientBase, pid: number): void {
    this.#processes.set(client, pid);
    this.connections++;
    client.once("end", () => this.connections--);
  }

  /** What the statement that was sent over `client` comes to. Rejects with ETIMEDOUT where no answer will come. */
  async wait<T>(client: ClientBase, answer: Promise<T>): Promise<T> {
    const answered = new AbortController();
    let isSilent = false;
    const ask = async () => {
      const { clock, limits } = this.#ports;
      while (await sleepUnlessAborted(clock, limits.askAfterMs, answered.signal)) {
        const isAtWork = await (this.#asking ??= this.#ask());
        if (isAtWork(this.#processes.get(client))) continue;
        // It may have ended just now, and its answer be on the way.
        if (!await sleepUnlessAborted(clock, limits.askAfterMs / 5, answered.signal)) return;
        isSilent = true;
        // With a statement in the air this closes the socket at once, and the statement fails.
        return void (client as Client).end().catch(() => {});
      }
    };
    void ask();
    try {
      return await answer;
    } catch (error) {
      if (!isSilent) throw error;
      const silent = new Error("No answer, and the server is not at work for one", {
        cause: error,
      });
      throw Object.assign(silent, { code: "ETIMEDOUT" });
    } finally {
      answered.abort(NO_LONGER_NEEDED);
    }
  }

  /** Many that wait ask once. */
  async #ask(): Promise<(pid: number | undefined) => boolean> {
    const { Client, config, limits: { connectMs } } = this.#ports;
    const client = new Client({ ...config, query_timeout: connectMs });
    // What breaks it off is told by the statement that fails.
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query(
        "SELECT pid::text AS pid FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()",
      );
      const busy = new Set<number | undefined>(rows.map(({ pid }) => Number(pid)));
      return (pid) => busy.has(pid);
    } catch (error) {
      // It answers, but has no connection left for the question: it is asked again.
      const isFull = error instanceof Error && "code" in error && error.code === "53300";
      return () => isFull;
    } finally {
      this.#asking = undefined;
      client.end().catch(() => {});
    }
  }
}
