// Waits for answers of PostgreSQL as long as the server works on the statement, and detects dead connections.
// @ts-types="@types/pg"
import type { Client } from "pg";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { type Clock, NO_LONGER_NEEDED } from "../../../base/clock.ts";
import type { ConnectionConfig, ConnectionLimits } from "./connection.ts";

/** The collaborators of DeadConnectionDetector. */
export interface DeadConnectionDetectorOptions {
  Client: new (config: ConnectionConfig & { query_timeout: number }) => Client;
  config: ConnectionConfig;
  limits: ConnectionLimits;
  clock: Clock;
}

/**
 * Waits for answers and detects dead connections. A connection may die without notice, for example because of a firewall or
 * a frozen machine. If an answer takes long, this class opens a new connection and asks the server if it still works on the
 * statement. If the server does not work on it, or does not reply, the old connection is closed.
 */
export class DeadConnectionDetector {
  readonly #options: DeadConnectionDetectorOptions;
  /** The number of open connections. */
  connections = 0;
  readonly #processes = new WeakMap<Client, number>();
  #query: Promise<(pid: number | undefined) => boolean> | undefined;

  constructor(ports: DeadConnectionDetectorOptions) {
    this.#options = ports;
  }

  /** Registers a new connection with the PID of its server process. */
  register(client: Client, pid: number): void {
    this.#processes.set(client, pid);
    this.connections++;
    client.once("end", () => this.connections--);
  }

  /** Returns the result of statements that were sent over `client`. Rejects with ETIMEDOUT if the connection is dead. */
  async wait<T>(client: Client, answer: Promise<T>): Promise<T> {
    const answered = new AbortController();
    let isSilent = false;
    const ask = async () => {
      const { clock, limits } = this.#options;
      while (await sleepUnlessAborted(clock, limits.checkAfterMs, answered.signal)) {
        const isAtWork = await (this.#query ??= this.#queryBusyProcesses());
        if (isAtWork(this.#processes.get(client))) continue;
        // The statement may have finished just now, and its answer may be arriving.
        if (!await sleepUnlessAborted(clock, limits.checkAfterMs / 5, answered.signal)) return;
        isSilent = true;
        // The pending statements then fail.
        return void client.connection.stream.destroy();
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

  /**
   * Reads the PIDs of the busy server processes. Returns a function that reports if a process is busy. Concurrent calls
   * share one query.
   */
  async #queryBusyProcesses(): Promise<(pid: number | undefined) => boolean> {
    const { Client, config, limits: { connectMs } } = this.#options;
    const client = new Client({ ...config, query_timeout: connectMs });
    // The failing statement reports the error.
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query(
        "SELECT pid::text AS pid FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()",
      );
      const busy = new Set<number | undefined>(rows.map(({ pid }) => Number(pid)));
      return (pid) => busy.has(pid);
    } catch (error) {
      // 53300 means that the server has no free connection for this query. All processes then count as busy until the next
      // query.
      const isFull = error instanceof Error && "code" in error && error.code === "53300";
      return () => isFull;
    } finally {
      this.#query = undefined;
      client.end().catch(() => {});
    }
  }
}
