// The pool of connections to a database, with limits and errors.
// @ts-types="@types/pg"
import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import { untilAborted } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import { DatabaseUnreachable, StorageUnavailable } from "../../database/database.ts";
import { DeadConnectionDetector } from "./answers.ts";
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  loadPg,
  prepareConnection,
  type Query,
  toClientConfig,
} from "./connection.ts";
import { TYPES } from "./dialect.ts";
import {
  ConnectionLost,
  describeAddress,
  isConnectionLost,
  outageReason,
} from "./postgres_errors.ts";

/** The options of Connections. */
export interface ConnectionsOptions {
  address: string;
  /** The maximum number of connections. */
  maxConnections: number;
  clock: Clock;
  /** Limits that replace those of CONNECTION_LIMITS. */
  limits: Partial<ConnectionLimits> | undefined;
}

/** Receives the result of a statement, with the position of the statement. */
type ReceiveResult = (result: QueryResult, index: number) => void;

/** The connection pool of one process. Connections are opened on demand and replaced after a failure. */
export class Connections implements AsyncDisposable {
  /** The address without its password. */
  readonly place: string;
  readonly #pool: Pool;
  readonly #maxConnections: number;
  readonly #limits: ConnectionLimits;
  readonly #detector: DeadConnectionDetector;
  readonly #over = new AbortController();

  private constructor(
    pool: Pool,
    answers: DeadConnectionDetector,
    { address, maxConnections, limits }: ConnectionsOptions & { limits: ConnectionLimits },
  ) {
    this.#pool = pool;
    this.#detector = answers;
    this.#maxConnections = maxConnections;
    this.#limits = limits;
    this.place = describeAddress(address);
  }

  /** Creates a pool. It connects at the first statement. Rejects with DatabaseUnusable for an invalid address. */
  static async open(options: ConnectionsOptions): Promise<Connections> {
    const { address, maxConnections, clock } = options;
    const limits = { ...CONNECTION_LIMITS, ...options.limits };
    const [{ default: pg }, config] = await Promise.all([
      loadPg(),
      toClientConfig(address, limits),
    ]);
    const answers = new DeadConnectionDetector({ Client: pg.Client, config, limits, clock });
    const pool = new pg.Pool({
      ...config,
      max: maxConnections,
      types: TYPES as never,
      pipeline: true,
      // The pool waits for this promise. If it rejects, the pool reports the error instead of returning the connection.
      onConnect: async (client) =>
        answers.register(client as PoolClient, await prepareConnection(client, limits)),
    });
    // A broken idle connection needs no handling: the pool replaces it on demand.
    pool.on("error", () => {});
    return new Connections(pool, answers, { ...options, limits });
  }

  /** Runs a function with a connection of the pool. If the connection is lost, removes it from the pool. */
  async use<T>(use: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken: Error | undefined;
    const onError = (error: Error) => broken = error;
    client.on("error", onError);
    try {
      return await use(client);
    } catch (error) {
      if (error instanceof ConnectionLost) broken ??= error;
      throw error;
    } finally {
      client.off("error", onError);
      // A pipelining client would wait for the answers to its statements before it closes the connection.
      if (this.#over.signal.aborted) client.connection.stream.destroy();
      client.release(broken ?? this.#over.signal.aborted);
    }
  }

  async #connect(): Promise<PoolClient> {
    this.#over.signal.throwIfAborted();
    const connecting = this.#pool.connect();
    try {
      return await untilAborted(connecting, this.#over.signal);
    } catch (error) {
      if (this.#over.signal.aborted) {
        connecting.then((client) => client.release(true), () => {});
        throw error;
      }
      const message = error instanceof Error ? error.message : String(error);
      // The driver has one message for a full pool and for a failed connection, so the number of connections is checked,
      // too.
      const isUsedUp = message === "timeout exceeded when trying to connect" &&
        this.#detector.connections >= this.#maxConnections;
      const seconds = this.#limits.connectMs / 1000;
      const reason = isUsedUp
        ? `its ${this.#maxConnections} connections are all in use, and none came free in ${seconds} s. ` +
          "Raise database_connections, or check what takes so long there"
        : outageReason(error) ?? message;
      throw new DatabaseUnreachable(`Cannot use ${this.place}: ${reason}.`, { cause: error });
    }
  }

  /**
   * Sends statements together, on any connection if `client` is undefined, and returns their results. Calls `receive` with
   * each result before the first failed statement. Rejects with StorageUnavailable, with the error of `receive`, or with
   * the error of the first statement that failed.
   */
  async send(
    client: PoolClient | undefined,
    queries: readonly QueryConfig[],
    receive?: ReceiveResult,
  ): Promise<QueryResult[]> {
    if (client === undefined) {
      const once = () => this.use((one) => this.send(one, queries, receive));
      return await once().catch((error) => {
        if (error instanceof ConnectionLost) return once();
        throw error;
      });
    }
    try {
      return await untilAborted(
        this.#detector.wait(client, sendTogether(client, queries, receive)),
        this.#over.signal,
      );
    } catch (error) {
      throw this.#toUnavailable(error);
    }
  }

  /** Returns a function that sends one statement. */
  queryWith(client: PoolClient | undefined): Query {
    return async (text, values) => {
      const query = { text, ...(values === undefined ? {} : { values: [...values] }) };
      const [result] = await this.send(client, [query]);
      return result ?? { rows: [] };
    };
  }

  #toUnavailable(error: unknown): unknown {
    const reason = error instanceof StorageUnavailable ? undefined : outageReason(error);
    if (reason === undefined) return error;
    const message = `Cannot use ${this.place}: ${reason}.`;
    const Refusal = isConnectionLost(error) ? ConnectionLost : DatabaseUnreachable;
    return new Refusal(message, { cause: error });
  }

  /** Aborts all statements. Afterwards all calls reject with DatabaseUnreachable and this reason. */
  abortAll(problem: string): void {
    this.#over.abort(new DatabaseUnreachable(problem));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#pool.end();
    // After abortAll() the server does not respond, so the end of the connections is not awaited.
    await (this.#over.signal.aborted ? undefined : ended);
  }
}

/** Sends statements in one write to the socket. The server executes the later ones even if an earlier one fails. */
async function sendTogether(
  client: PoolClient,
  queries: readonly QueryConfig[],
  receive: ReceiveResult | undefined,
): Promise<QueryResult[]> {
  const { stream } = client.connection;
  stream.cork();
  const answers = Promise.allSettled(queries.map((query) => client.query(query)));
  stream.uncork();
  return (await answers).map((answer, index) => {
    if (answer.status === "rejected") throw answer.reason;
    receive?.(answer.value, index);
    return answer.value;
  });
}
