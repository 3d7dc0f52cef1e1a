// This process as one of several nodes of a database: it sends heartbeats, and exchanges notifications with the other nodes.
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { type Clock, NO_LONGER_NEEDED, SystemClock } from "../../../base/clock.ts";
import { closeNode, NOW, openNode } from "../../database/instances.ts";
import { get } from "../../database/operation.ts";
import type { Query } from "./connection.ts";
import { DatabaseClock } from "./database_clock.ts";
import { JobQueue } from "./job_queue.ts";
import { NodeConnection } from "./node_connection.ts";
import { NodeLeases } from "./node_leases.ts";
import { PostgresDatabase } from "./postgres_database.ts";
import { describeAddress, unusableServer } from "./postgres_errors.ts";
import { POLL_MS, SharedExecutions } from "./shared_executions.ts";

const HEARTBEAT =
  `UPDATE inkling.instances SET last_seen = ${NOW} WHERE id = $1 RETURNING last_seen`;

/** The options of Node. */
export interface OpenNodeOptions {
  address: string;
  connections: number;
  name: string;
  labels: readonly string[];
  version: string;
  /** The clock of the node. If it is absent or a SystemClock, the node uses the database's time. */
  clock?: Clock | undefined;
  /** Returns the labels that a node must have to run the agent. */
  labelsOf: (agentId: string) => readonly string[];
  /** Called once per outage of the database, with the reason as a sentence. The node reconnects by itself. */
  onOutage: (problem: string) => void;
}

/** Handlers for notifications of other nodes. They must not throw. */
export interface NodeListeners {
  /** An execution was changed by another node, or by this one without a report of its new frames. */
  changed(executionId: number): void;
  /** Called at a regular interval. Any data may have changed, because notifications can be lost. */
  poll(): void;
  /** The connection for notifications was opened. Earlier notifications may have been lost. */
  connected(): void;
  /** Another node has sent a message with `notify()`. */
  notified(topic: string, text: string): void;
  /** The set of leases that this node holds has changed. */
  leasesChanged(): void;
}

/** The parts from which a node is constructed. */
type NodeParts = Pick<Node, "database" | "instanceId" | "clock" | "executions"> & {
  options: OpenNodeOptions;
  queue: JobQueue;
  outage: Outage;
};

/** Reports the errors of background work. Reports only the first error of an outage. */
class Outage {
  readonly #options: Pick<OpenNodeOptions, "address" | "onOutage">;
  /** The current problem as a sentence; undefined if there is none. */
  problem: string | undefined;

  constructor(options: Pick<OpenNodeOptions, "address" | "onOutage">) {
    this.#options = options;
  }

  report(error: unknown): void {
    if (this.problem !== undefined) return;
    const { address, onOutage } = this.#options;
    this.problem = unusableServer(describeAddress(address), error).message;
    onOutage(this.problem);
  }

  clear(): void {
    this.problem = undefined;
  }
}

/** This process as a node: its database, clock, executions, leases and notifications. */
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
      onNotification: (message) => this.#handleNotification(message),
      onConnected: () => {
        this.executions.refreshAll();
        this.#listeners?.connected();
      },
      sendHeartbeat: (query) => this.#sendHeartbeat(query),
      onFailure: (error) => {
        this.leases.expire();
        parts.outage.report(error);
      },
    });
  }

  /** Connects to the database and migrates it. Rejects with DatabaseUnusable. */
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
          changed: (id) => own.node?.changed(id),
        },
      }),
    );
    const queue = await JobQueue.open({
      address,
      labels,
      onError: (error) => outage.report(error),
    });
    opened.defer(() => queue.stop());
    const executions: SharedExecutions = new SharedExecutions({
      database,
      queue,
      instanceId,
      epochs,
      labelsOf,
      notify: (topic, text) => own.node?.notify(topic, text),
      problem: () => outage.problem,
    });
    const clock = await openClock(database, options.clock);
    own.node = new Node({ options, database, instanceId, clock, executions, queue, outage });
    opened.move();
    return own.node;
  }

  /** The reason why the database does not answer, as a sentence; undefined if it answers. */
  get problem(): string | undefined {
    return this.#outage.problem;
  }

  /**
   * Joins the other nodes: registers this node, and starts heartbeats and notifications. Before the call, the node can only
   * queue executions.
   */
  async start(listeners: NodeListeners): Promise<void> {
    const { name, version, labels } = this.#options;
    this.#listeners = listeners;
    const node = { id: this.instanceId, pid: Deno.pid, name, version, labels };
    await this.database.change("power", () => openNode(node));
    this.#connection.start();
    this.#polling ??= this.#poll();
  }

  /**
   * Sends a message to the other nodes. A message may be lost, and is dropped if it is longer than 7 KB. The other nodes
   * then notice the change by polling.
   */
  notify(topic: string, text: string): void {
    this.#connection.notify(`${topic} ${this.instanceId} ${text}`);
  }

  /** Reports a change of an execution to the runtime, which reads the change from the database. */
  changed(executionId: number): void {
    this.executions.changed(executionId);
    this.#listeners?.changed(executionId);
  }

  /** Requests these leases and gives up all others. Resolves after the next renewal, or when it failed. */
  async requestLeases(names: Iterable<string>): Promise<void> {
    const answer = this.leases.setWanted(names);
    this.#connection.wake();
    await answer;
  }

  /** Releases the held jobs and leases, and unregisters the node. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort(NO_LONGER_NEEDED);
    await this.#polling;
    await this.#queue.stop();
    await this.#connection[Symbol.asyncDispose]();
    try {
      await this.database.change("power", () => closeNode(this.instanceId, this.clock.now()));
    } catch (error) {
      // The other nodes notice the end by the missing heartbeat.
      this.#outage.report(error);
    } finally {
      await this.database[Symbol.asyncDispose]();
    }
  }

  #handleNotification(message: string): void {
    const [topic = "", first = "", ...rest] = message.split(" ");
    if (topic === "changed") {
      const id = Number(first);
      this.executions.changed(id);
      // The followers of an execution that runs here already know the change, because only this node writes to it.
      if (!this.executions.has(id)) this.#listeners?.changed(id);
      return;
    }
    if (first === this.instanceId) return;
    const text = rest.join(" ");
    if (topic === "queued") this.executions.jobQueued(text);
    else if (topic === "cancel") {
      // Sends the heartbeat now, because it reads the requests to cancel executions.
      if (this.executions.has(Number(text))) this.#connection.wake();
    } else this.#listeners?.notified(topic, text);
  }

  async #poll(): Promise<void> {
    while (await sleepUnlessAborted(this.#system, POLL_MS, this.#over.signal)) {
      this.#listeners?.poll();
    }
  }

  async #sendHeartbeat(query: Query): Promise<void> {
    const sign = async () => {
      const { rows: [row] } = await query(HEARTBEAT, [this.instanceId]);
      return Number((row as { last_seen: string } | undefined)?.last_seen ?? this.clock.now());
    };
    // The jobs come first, because a job without a heartbeat in time goes to another node.
    await this.executions.sendHeartbeat(query);
    if (this.clock instanceof DatabaseClock) await this.clock.set(sign);
    else await sign();
    await this.leases.renew(query);
    this.#outage.clear();
  }
}

/** Returns a clock with the database's time, or `given` if it is another clock than a SystemClock. */
async function openClock(database: PostgresDatabase, given: Clock | undefined): Promise<Clock> {
  if (given !== undefined && given.constructor !== SystemClock) return given;
  const clock = new DatabaseClock();
  await clock.set(async () => {
    const row = await database.read(() => get<{ now: number }>(`SELECT ${NOW} AS now`));
    return row?.now ?? clock.now();
  });
  return clock;
}
