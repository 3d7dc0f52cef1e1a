// The executions that machines share, as one of them has them: given to the queue, taken from it by a claim, let go of.
import { type Clock, SystemClock } from "../../../base/clock.ts";
import type { Delivery, SharedRuns, Taken, Worker } from "../../executions/runs/shared_runs.ts";
import type { WaitingRun } from "../operation.ts";
import { ChangeWaits } from "./change_waits.ts";
import { claimExecution, enqueueLeft, isToRun, requestCancel } from "./claims.ts";
import type { Query } from "./connection.ts";
import type { JobQueue } from "./job_queue.ts";
import type { PostgresDatabase } from "./postgres_database.ts";
import { queueOf } from "./queue_names.ts";
import type { OpenTransaction } from "./transaction.ts";

/** A lost notification costs no more than this. */
export const POLL_MS = 1_000;

const CANCELLED = "SELECT id, cancelled AS error FROM inkling.executions " +
  "WHERE cancelled IS NOT NULL AND status = 'running' AND id = ANY($1::bigint[])";

/** What they are shared with. */
export interface SharedExecutionsOptions {
  database: PostgresDatabase;
  queue: JobQueue;
  instanceId: string;
  /** The epochs of the executions that this machine has; the database's fence reads them. */
  epochs: Map<number, number>;
  /** What a machine needs for the runs of an agent. */
  labelsOf: (agentId: string) => readonly string[];
  /** Tells the other machines something. */
  tell: (topic: string, text: string) => void;
  /** Why the database does not answer now; undefined: it does. */
  problem: () => string | undefined;
}

/** Those of one machine, and those that it could have. */
export class SharedExecutions implements SharedRuns {
  readonly #options: SharedExecutionsOptions;
  /** The delivery by which each of those that run here is run. */
  readonly #deliveries = new Map<number, Delivery>();
  readonly #waits = new ChangeWaits();
  readonly #clock: Clock = new SystemClock();
  #worker: Worker | undefined;

  constructor(options: SharedExecutionsOptions) {
    this.#options = options;
  }

  /** Whether this machine has an execution. */
  has(executionId: number): boolean {
    return this.#options.epochs.has(executionId);
  }

  work(worker: Worker): void {
    this.#worker = worker;
    this.#options.queue.work(worker);
  }

  wake(): void {
    this.#options.queue.wake();
  }

  async stopTaking(): Promise<void> {
    const { database, queue, problem } = this.#options;
    await queue.stopTaking();
    // Nobody waits for it at a stop: another machine gets what runs here when its leases have run out.
    const reason = problem();
    if (reason !== undefined) database.giveUp(reason);
  }

  /** Lets an execution wait for a machine, as part of a transaction. */
  async enqueue(
    { id, agentId, parentExecutionId }: WaitingRun,
    { query, last, afterwards }: OpenTransaction,
  ): Promise<void> {
    const { queue, labelsOf, tell } = this.#options;
    const name = queueOf(labelsOf(agentId), { isDelegated: parentExecutionId !== null });
    const jobId = await queue.send(id, { queue: name, query });
    last(`UPDATE executions SET job = '${jobId}' WHERE id = ${id}`);
    // Whoever accepts it takes it where it can: nobody else has to be woken then.
    afterwards(() => queue.hasRoom(name) ? this.wake() : tell("queued", name));
  }

  async take(delivery: Delivery): Promise<Taken | undefined> {
    const { executionId: id } = delivery;
    const { database, epochs, instanceId } = this.#options;
    const claim = await database.change(
      "power",
      () => claimExecution({ ...delivery, id, instanceId }),
    );
    if (claim === undefined) return undefined;
    epochs.set(id, claim.epoch);
    this.#deliveries.set(id, delivery);
    return claim;
  }

  async rest(delivery: Delivery): Promise<void> {
    const { executionId, jobId } = delivery;
    const { database, queue } = this.#options;
    // Where it was answered meanwhile, it may run here again by another job.
    if (this.#deliveries.get(executionId) === delivery) {
      this.#options.epochs.delete(executionId);
      this.#deliveries.delete(executionId);
    }
    try {
      const isLeft = await database.read(() => isToRun(executionId, jobId));
      await (isLeft ? queue.release(delivery) : queue.complete(delivery));
    } finally {
      queue.forget(delivery);
    }
  }

  async requestCancel(executionId: number, error: string): Promise<boolean> {
    const { database, tell } = this.#options;
    const isAsked = await database.change("power", () => requestCancel(executionId, error));
    if (isAsked) tell("cancel", `${executionId}`);
    return isAsked;
  }

  async enqueueLeft(): Promise<void> {
    await this.#options.database.change("power", () => enqueueLeft());
  }

  async whenChanged(executionId: number, signal: AbortSignal): Promise<void> {
    await this.#waits.next(executionId, { within: { clock: this.#clock, ms: POLL_MS }, signal });
  }

  /** Something was stored for an execution, on whichever machine. */
  changed(executionId: number): void {
    this.#waits.changed(executionId);
  }

  /** Another machine has no room for an execution of this queue. */
  queued(name: string): void {
    if (this.#options.queue.hasRoom(name)) this.wake();
  }

  /** What was told before is lost: anything may have changed. */
  lookAgain(): void {
    this.#waits.allChanged();
    this.wake();
  }

  /** The database says that an execution which runs here is to end. */
  cancel(executionId: number, error: string): void {
    this.#worker?.cancel(executionId, error);
  }

  /** Keeps what runs here, and ends what somebody wants to end. */
  async beat(query: Query): Promise<void> {
    const { queue, epochs } = this.#options;
    await queue.beat(query);
    if (epochs.size === 0) return;
    const { rows } = await query(CANCELLED, [[...epochs.keys()]]);
    for (const { id, error } of rows as { id: string; error: string }[]) {
      this.cancel(Number(id), error);
    }
  }
}
