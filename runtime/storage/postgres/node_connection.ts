// The connection for a node's notifications and heartbeats. It reconnects after a failure. Polling replaces the notifications
// that were lost meanwhile.
// @ts-types="@types/pg"
import type { Client } from "pg";
import { backoffMs } from "../../../base/backoff.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import {
  CONNECTION_LIMITS,
  loadPg,
  prepareConnection,
  type Query,
  toClientConfig,
} from "./connection.ts";
import { CHANNEL } from "./transaction.ts";

/** The interval of heartbeats. */
export const HEARTBEAT_MS = 3_000;
/** The timeout of a statement. It leaves time for a second heartbeat before the leases of jobs expire. */
const HEARTBEAT_TIMEOUT_MS = 4_000;
const RETRY = { firstMs: 500, longestMs: 1_000 };
/** The maximum size of a NOTIFY payload, in bytes. */
const MOST_BYTES = 7_900;

/** The options of NodeConnection. The functions must not throw. */
export interface NodeConnectionOptions {
  address: string;
  clock: Clock;
  /** Called with the notifications of all nodes, including this one. */
  onNotification: (message: string) => void;
  /** Called when the connection was opened. Earlier notifications may have been lost. */
  onConnected: () => void;
  /** Sends the heartbeat of the node. If it rejects, the node reconnects. */
  sendHeartbeat: (query: Query) => Promise<void>;
  /** Called after each failure of the connection. */
  onFailure: (error: unknown) => void;
}

/** The connection of one node for notifications and heartbeats. */
export class NodeConnection implements AsyncDisposable {
  readonly #options: NodeConnectionOptions;
  readonly #over = new AbortController();
  #client: Client | undefined;
  #loop: Promise<void> | undefined;
  #pause = new AbortController();

  constructor(options: NodeConnectionOptions) {
    this.#options = options;
  }

  /** Connects to the database. Reconnects after each failure until the dispose. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Sends the heartbeat immediately. */
  wake(): void {
    this.#pause.abort();
  }

  /**
   * Sends a notification to all nodes. Notifications keep their order. A notification is lost if it is too long or if there
   * is no connection.
   */
  notify(message: string): void {
    if (new TextEncoder().encode(message).length > MOST_BYTES) return;
    this.#client?.query("SELECT pg_notify($1, $2)", [CHANNEL, message]).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.wake();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { clock, onFailure } = this.#options;
    for (let failures = 0; !this.#over.signal.aborted;) {
      try {
        await this.#connectAndSendHeartbeats(() => failures = 0);
      } catch (error) {
        failures++;
        onFailure(error);
        await sleepUnlessAborted(clock, backoffMs(failures, RETRY), this.#over.signal);
      }
    }
  }

  async #connectAndSendHeartbeats(onSuccess: () => void): Promise<void> {
    const { address, clock, onNotification, onConnected, sendHeartbeat } = this.#options;
    const limits = { ...CONNECTION_LIMITS, connectMs: HEARTBEAT_TIMEOUT_MS };
    const [{ default: pg }, config] = await Promise.all([
      loadPg(),
      toClientConfig(address, limits),
    ]);
    const client = new pg.Client({
      ...config,
      query_timeout: HEARTBEAT_TIMEOUT_MS,
      application_name: "inkling node",
      // A notification may be sent during a heartbeat.
      pipeline: true,
    });
    // The heartbeat fails, too, and reports the error.
    client.on("error", () => this.wake());
    client.on("end", () => this.wake());
    client.on("notification", ({ payload }) => onNotification(payload ?? ""));
    try {
      await client.connect();
      // These limits also disconnect a frozen node. Otherwise its unread notifications would fill the server's queue.
      await prepareConnection(client, limits);
      await client.query(`LISTEN ${CHANNEL}`);
      this.#client = client;
      onConnected();
      while (!this.#over.signal.aborted) {
        this.#pause = new AbortController();
        await sendHeartbeat(async (text, values) => await client.query(text, values as unknown[]));
        onSuccess();
        await sleepUnlessAborted(clock, HEARTBEAT_MS, this.#pause.signal);
      }
    } finally {
      this.#client = undefined;
      // Without a network the server never confirms the end, so the wait is limited.
      await firstOf(client.end().catch(() => {}), { within: { clock, ms: HEARTBEAT_TIMEOUT_MS } });
    }
  }
}
