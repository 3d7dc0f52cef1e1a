// Enqueues, claims, completes and releases executions in the queue that all nodes share.
import { type Clock, SystemClock } from "../../../base/clock.ts";
import { firstOf, type WaitLimits } from "../../../base/first_of.ts";
import type {
  ClaimedExecution,
  Delivery,
  SharedRuns,
  Worker,
} from "../../executions/runs/shared_runs.ts";
import type { WaitingRun } from "../../database/operation.ts";
import { claimExecution, enqueueWithoutJob, isCurrentJob, requestCancel } from "./claims.ts";
import type { Query } from "./connection.ts";
import type { JobQueue } from "./job_queue.ts";
import type { PostgresDatabase } from "./postgres_database.ts";
import { queueFor } from "./queue_names.ts";
import type { OpenTransaction } from "./transaction.ts";

/** The poll interval. It is the maximum delay after a lost notification. */
export const POLL_MS = 1_000;

const CANCELLED = "SELECT id, cancelled AS error FROM inkling.executions " +
  "WHERE cancelled IS NOT NULL AND status = 'running' AND id = ANY($1::bigint[])";

/** The collaborators of SharedExecutions. */
export interface SharedExecutionsOptions {
  database: PostgresDatabase;
  queue: JobQueue;
  instanceId: string;
  /** The epochs of the executions that run on this node, by execution id. The database checks them before each write. */
  epochs: Map<number, number>;
  /** Returns the labels that a node must have to run the agent. */
  labelsOf: (agentId: string) => readonly string[];
  /** Sends a message to the other nodes. */
  notify: (topic: string, text: string) => void;
  /** Returns the reason why the database does not answer; undefined if it answers. */
  problem: () => string | undefined;
}

/** The executions of one node, and its access to the shared queue. */
export class SharedExecutions implements SharedRuns {
  readonly #options: SharedExecutionsOptions;
  /** The jobs of the executions that run on this node, by execution id. */
  readonly #deliveries = new Map<number, Delivery>();
  /** The executions of #deliveries that ended or wait, so that their jobs are no longer needed. */
  readonly #rested = new Set<number>();
  readonly #waits = new ChangeWaits();
  readonly #clock: Clock = new SystemClock();
  #worker: Worker | undefined;

  constructor(options: SharedExecutionsOptions) {
    this.#options = options;
    options.database.stored.add((id, { state }) => {
      if (state !== "open" && this.#deliveries.has(id)) this.#rested.add(id);
    });
  }

  /** Returns true if this node runs the execution. */
  has(executionId: number): boolean {
    return this.#options.epochs.has(executionId);
  }

  work(worker: Worker): void {
    this.#worker = worker;
    this.#options.queue.work(worker);
  }

  wake(): void {
    this.#options.queue.offerRoom();
  }

  async stopClaiming(): Promise<void> {
    const { database, queue, problem } = this.#options;
    await queue.stopFetching();
    // A stop does not wait for a database that does not answer. Other nodes get the executions of this node after their
    // leases expire.
    const reason = problem();
    if (reason !== undefined) database.abortAll(reason);
  }

  /** Adds an execution to the queue in the open transaction. */
  async enqueue(
    { id, agentId, parentExecutionId }: WaitingRun,
    { send, afterCommit }: OpenTransaction,
  ): Promise<void> {
    const { queue, labelsOf, notify } = this.#options;
    const name = queueFor(labelsOf(agentId), { isDelegated: parentExecutionId !== null });
    const jobId = await queue.send(id, { queue: name, send });
    send("UPDATE executions SET job = $1 WHERE id = $2", [jobId, id]);
    // If this node can run the execution, it fetches the job itself and does not notify other nodes.
    afterCommit(() => {
      if (!queue.wakeFor(name)) notify("queued", name);
    });
  }

  async claim(delivery: Delivery): Promise<ClaimedExecution | undefined> {
    const { executionId: id } = delivery;
    const { database, epochs, instanceId } = this.#options;
    const claim = await database.change("power", () => claimExecution(delivery, instanceId));
    if (claim === undefined) return undefined;
    epochs.set(id, claim.epoch);
    this.#rested.delete(id);
    this.#deliveries.set(id, delivery);
    return claim;
  }

  async release(delivery: Delivery): Promise<void> {
    const { executionId, jobId } = delivery;
    const { database, queue } = this.#options;
    let isRested = false;
    // After an answer, the execution may already run on this node again, with another job.
    if (this.#deliveries.get(executionId) === delivery) {
      this.#options.epochs.delete(executionId);
      this.#deliveries.delete(executionId);
      isRested = this.#rested.delete(executionId);
    }
    try {
      const isLeft = !isRested && await database.read(() => isCurrentJob(executionId, jobId));
      await (isLeft ? queue.release(delivery) : queue.complete(delivery));
    } finally {
      queue.drop(delivery);
    }
  }

  async requestCancel(executionId: number, error: string): Promise<boolean> {
    const { database, notify } = this.#options;
    const isAsked = await database.change("power", () => requestCancel(executionId, error));
    if (isAsked) notify("cancel", `${executionId}`);
    return isAsked;
  }

  async enqueueUnclaimed(): Promise<void> {
    await this.#options.database.change("power", () => enqueueWithoutJob());
  }

  async whenChanged(executionId: number, signal: AbortSignal): Promise<void> {
    await this.#waits.next(executionId, { within: { clock: this.#clock, ms: POLL_MS }, signal });
  }

  /** Wakes the waits for an execution that any node has changed. */
  changed(executionId: number): void {
    this.#waits.changed(executionId);
  }

  /**
   * Fetches jobs if this node can run a new job of the queue. Called after another node has queued a job that it could not
   * run itself.
   */
  jobQueued(name: string): void {
    this.#options.queue.wakeFor(name);
  }

  /** Wakes all waits and fetches jobs, because notifications may have been lost. */
  refreshAll(): void {
    this.#waits.wakeAll();
    this.#options.queue.wake();
  }

  /** Cancels an execution that runs on this node, with this error. */
  cancel(executionId: number, error: string): void {
    this.#worker?.cancel(executionId, error);
  }

  /** Sends the heartbeat of this node's jobs, and cancels those executions for which a cancel was requested. */
  async sendHeartbeat(query: Query): Promise<void> {
    const { queue, epochs } = this.#options;
    await queue.sendHeartbeat(query);
    if (epochs.size === 0) return;
    const { rows } = await query(CANCELLED, [[...epochs.keys()]]);
    for (const { id, error } of rows as { id: string; error: string }[]) {
      this.cancel(Number(id), error);
    }
  }
}

/** The waits of one node for changes of executions. */
class ChangeWaits {
  readonly #waits = new Map<number, Set<() => void>>();

  /** Resolves at the next change of an execution, or at the time limit or abort signal in `limits`. */
  async next(executionId: number, limits: WaitLimits): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waits = this.#waits.getOrInsertComputed(executionId, () => new Set());
    waits.add(resolve);
    try {
      await firstOf(promise, limits);
    } finally {
      waits.delete(resolve);
      if (waits.size === 0) this.#waits.delete(executionId);
    }
  }

  changed(executionId: number): void {
    for (const resolve of this.#waits.get(executionId) ?? []) resolve();
  }

  /** Resolves all waits. */
  wakeAll(): void {
    for (const id of this.#waits.keys()) this.changed(id);
  }
}
