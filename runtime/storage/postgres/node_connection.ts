// The connection on which a machine hears the others, and shows them that it lives. When it breaks off it is made anew; what
// was told meanwhile is found out by looking.
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

/** How often a machine shows that it lives. */
export const BEAT_MS = 3_000;
/** A statement that takes longer has not come through. With one more try it is known well before a lease on runs is over. */
const BEAT_TIMEOUT_MS = 4_000;
const RETRY = { firstMs: 500, longestMs: 1_000 };
/** What NOTIFY takes at most, in bytes. */
const MOST_BYTES = 7_900;

/** What a connection is made with. None of the functions may throw. */
export interface NodeConnectionOptions {
  address: string;
  clock: Clock;
  /** Hears what machines tell, its own words included. */
  heard: (message: string) => void;
  /** It hears from now on; what was told before is lost. */
  connected: () => void;
  /** Everything that is to be done regularly. Where it rejects, the connection is made anew. */
  beat: (query: Query) => Promise<void>;
  /** Hears each time that there was no connection. */
  failed: (error: unknown) => void;
}

/** One machine's. */
export class NodeConnection implements AsyncDisposable {
  readonly #options: NodeConnectionOptions;
  readonly #over = new AbortController();
  #client: Client | undefined;
  #beating: Promise<void> | undefined;
  #pause = new AbortController();

  constructor(options: NodeConnectionOptions) {
    this.#options = options;
  }

  /** Connects, again and again where that is needed, until it is disposed. */
  start(): void {
    this.#beating ??= this.#run();
  }

  /** Beats at once, instead of at the end of a pause. */
  wake(): void {
    this.#pause.abort();
  }

  /** Tells all machines, in order; lost where there is no connection, or for what is too long. */
  tell(message: string): void {
    if (new TextEncoder().encode(message).length > MOST_BYTES) return;
    this.#client?.query("SELECT pg_notify($1, $2)", [CHANNEL, message]).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.wake();
    await this.#beating;
  }

  async #run(): Promise<void> {
    const { clock, failed } = this.#options;
    for (let failures = 0; !this.#over.signal.aborted;) {
      try {
        await this.#connectAndBeat(() => failures = 0);
      } catch (error) {
        failures++;
        failed(error);
        await sleepUnlessAborted(clock, backoffMs(failures, RETRY), this.#over.signal);
      }
    }
  }

  async #connectAndBeat(beaten: () => void): Promise<void> {
    const { address, clock, heard, connected, beat } = this.#options;
    const limits = { ...CONNECTION_LIMITS, connectMs: BEAT_TIMEOUT_MS };
    const [{ default: pg }, config] = await Promise.all([
      loadPg(),
      toClientConfig(address, limits),
    ]);
    const client = new pg.Client({
      ...config,
      query_timeout: BEAT_TIMEOUT_MS,
      application_name: "inkling node",
    });
    // What breaks it off is told by the beat that fails.
    client.on("error", () => this.wake());
    client.on("end", () => this.wake());
    client.on("notification", ({ payload }) => heard(payload ?? ""));
    try {
      await client.connect();
      // Of a frozen machine the server would keep what it cannot tell it, until no machine can tell anything.
      await prepareConnection(client, limits);
      await client.query(`LISTEN ${CHANNEL}`);
      this.#client = client;
      connected();
      while (!this.#over.signal.aborted) {
        this.#pause = new AbortController();
        await beat(async (text, values) => await client.query(text, values as unknown[]));
        beaten();
        await sleepUnlessAborted(clock, BEAT_MS, this.#pause.signal);
      }
    } finally {
      this.#client = undefined;
      // Where the network is gone, nobody says that it has ended.
      await firstOf(client.end().catch(() => {}), { within: { clock, ms: BEAT_TIMEOUT_MS } });
    }
  }
}
