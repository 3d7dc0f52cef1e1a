// This machine as one of several over a database: it shows that it lives, hears what the others tell and tells them.
import { type Clock, NO_LONGER_NEEDED, SystemClock } from "../../../base/clock.ts";
import { closeNode, NOW, openNode } from "../instances.ts";
import { get } from "../operation.ts";
import type { Query } from "./connection.ts";
import { DatabaseClock } from "./database_clock.ts";
import { JobQueue } from "./job_queue.ts";
import { NodeConnection } from "./node_connection.ts";
import { NodeLeases } from "./node_leases.ts";
import { PostgresDatabase } from "./postgres_database.ts";
import { describeAddress, unusableServer } from "./postgres_errors.ts";
import { POLL_MS, SharedExecutions } from "./shared_executions.ts";

const SIGN = `UPDATE inkling.instances SET last_seen = ${NOW} WHERE id = $1 RETURNING last_seen`;

/** How a machine joins the others. */
export interface OpenNodeOptions {
  address: string;
  connections: number;
  name: string;
  labels: readonly string[];
  version: string;
  /** Absent, or the machine's own: the database's time is everybody's. */
  clock?: Clock | undefined;
  /** What a machine needs for the runs of an agent. */
  labelsOf: (agentId: string) => readonly string[];
  /** Hears why the database does not answer, once for each outage; it is tried again by itself. */
  failed: (problem: string) => void;
}

/** What is done with what other machines tell. None of these may throw. */
export interface NodeListeners {
  /** Something was stored for an execution that does not run here. */
  changed(executionId: number): void;
  /** Anything may have been stored: it is time to look. */
  poll(): void;
  /** It hears the others from now on; what they told before is lost. */
  connected(): void;
  /** What another machine told with `tell`. */
  told(topic: string, text: string): void;
  /** Other leases are held than before. */
  leasesChanged(): void;
}

/** What a machine is made of. */
type NodeParts = Pick<Node, "database" | "instanceId" | "clock" | "executions"> & {
  options: OpenNodeOptions;
  queue: JobQueue;
  outage: Outage;
};

/** What goes wrong in the background, told once until the database has answered again. */
class Outage {
  readonly #options: Pick<OpenNodeOptions, "address" | "failed">;
  /** A sentence; undefined: there is none. */
  problem: string | undefined;

  constructor(options: Pick<OpenNodeOptions, "address" | "failed">) {
    this.#options = options;
  }

  tell(error: unknown): void {
    if (this.problem !== undefined) return;
    const { address, failed } = this.#options;
    this.problem = unusableServer(describeAddress(address), error).message;
    failed(this.problem);
  }

  over(): void {
    this.problem = undefined;
  }
}

/** One machine. */
export class Node implements AsyncDisposable {
  readonly database: PostgresDatabase;
  readonly instanceId: string;
  readonly clock: Clock;
  readonly executions: SharedExecutions;
  readonly leases: NodeLeases;
  readonly #options: OpenNodeOptions;
  readonly #queue: JobQueue;
  readonly #outage: Outage;
  readonly #connection: NodeConnection;
  readonly #system = new SystemClock();
  readonly #over = new AbortController();
  #listeners: NodeListeners | undefined;
  #polling: Promise<void> | undefined;

  private constructor(parts: NodeParts) {
    const { address } = parts.options;
    this.#options = parts.options;
    this.database = parts.database;
    this.instanceId = parts.instanceId;
    this.clock = parts.clock;
    this.executions = parts.executions;
    this.#queue = parts.queue;
    this.#outage = parts.outage;
    this.leases = new NodeLeases({
      instanceId: this.instanceId,
      now: () => performance.now(),
      changed: () => this.#listeners?.leasesChanged(),
    });
    this.#connection = new NodeConnection({
      address,
      clock: this.#system,
      heard: (message) => this.#hear(message),
      connected: () => {
        this.executions.lookAgain();
        this.#listeners?.connected();
      },
      beat: (query) => this.#beat(query),
      failed: (error) => {
        this.leases.expire();
        parts.outage.tell(error);
      },
    });
  }

  /** Connects, and brings the database up to date. Rejects with DatabaseUnusable. */
  static async open(options: OpenNodeOptions): Promise<Node> {
    const { address, connections, labels, labelsOf } = options;
    const outage = new Outage(options);
    const instanceId = crypto.randomUUID();
    const epochs = new Map<number, number>();
    await using opened = new AsyncDisposableStack();
    const own: { node?: Node } = {};
    const database: PostgresDatabase = opened.use(
      await PostgresDatabase.open({
        address,
        connections,
        node: {
          instanceId,
          leases: epochs,
          enqueue: (waiting, transaction) => executions.enqueue(waiting, transaction),
          cancelled: (id, error) => executions.cancel(id, error),
        },
      }),
    );
    const queue = await JobQueue.open({ address, labels, onError: (error) => outage.tell(error) });
    opened.defer(() => queue.stop());
    const executions: SharedExecutions = new SharedExecutions({
      database,
      queue,
      instanceId,
      epochs,
      labelsOf,
      tell: (topic, text) => own.node?.tell(topic, text),
      problem: () => outage.problem,
    });
    const clock = await openClock(database, options.clock);
    own.node = new Node({ options, database, instanceId, clock, executions, queue, outage });
    opened.move();
    return own.node;
  }

  /** A sentence: why the database does not answer now; undefined: it does. */
  get problem(): string | undefined {
    return this.#outage.problem;
  }

  /** Joins the others: from now on it hears them, and is seen. Before that it can only give them executions. */
  async start(listeners: NodeListeners): Promise<void> {
    const { name, version, labels } = this.#options;
    this.#listeners = listeners;
    const node = { id: this.instanceId, pid: Deno.pid, name, version, labels };
    await this.database.change("power", () => openNode(node));
    this.#connection.start();
    this.#polling ??= this.#poll();
  }

  /** Tells the other machines something; what is lost or longer than 7 KB they find out when they look. */
  tell(topic: string, text: string): void {
    this.#connection.tell(`${topic} ${this.instanceId} ${text}`);
  }

  /** Asks for these leases and no others; resolves as NodeLeases.want does. */
  async wantLeases(names: Iterable<string>): Promise<void> {
    const answer = this.leases.want(names);
    this.#connection.wake();
    await answer;
  }

  /** Gives back what is still held, and leaves the others. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort(NO_LONGER_NEEDED);
    await this.#polling;
    await this.#queue.stop();
    await this.#connection[Symbol.asyncDispose]();
    try {
      await this.database.change("power", () => closeNode(this.instanceId, this.clock.now()));
    } catch (error) {
      // The others notice it by its silence.
      this.#outage.tell(error);
    } finally {
      await this.database[Symbol.asyncDispose]();
    }
  }

  #hear(message: string): void {
    const [topic = "", first = "", ...rest] = message.split(" ");
    if (topic === "changed") {
      const id = Number(first);
      this.executions.changed(id);
      // What is stored for one that runs here is told here.
      if (!this.executions.has(id)) this.#listeners?.changed(id);
      return;
    }
    if (first === this.instanceId) return;
    const text = rest.join(" ");
    if (topic === "queued") this.executions.queued(text);
    else if (topic === "cancel") {
      // The beat looks who is to end.
      if (this.executions.has(Number(text))) this.#connection.wake();
    } else this.#listeners?.told(topic, text);
  }

  async #poll(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#system.sleep(POLL_MS, this.#over.signal).catch(() => {});
      this.#listeners?.poll();
    }
  }

  async #beat(query: Query): Promise<void> {
    const sign = async () => {
      const { rows: [row] } = await query(SIGN, [this.instanceId]);
      return Number((row as { last_seen: string } | undefined)?.last_seen ?? this.clock.now());
    };
    // First of all: what is not kept in time is another machine's.
    await this.executions.beat(query);
    if (this.clock instanceof DatabaseClock) await this.clock.set(sign);
    else await sign();
    await this.leases.renew(query);
    this.#outage.over();
  }
}

/** The database's time, but for who brings a clock that is not the machine's. */
async function openClock(database: PostgresDatabase, given: Clock | undefined): Promise<Clock> {
  if (given !== undefined && given.constructor !== SystemClock) return given;
  const clock = new DatabaseClock();
  await clock.set(async () => {
    const row = await database.read(() => get<{ now: number }>(`SELECT ${NOW} AS now`));
    return row?.now ?? clock.now();
  });
  return clock;
}
