// The queue of executions for all nodes. pg-boss provides jobs and leases, and hands a job to another node after its lease
// expires. This file adds a queue for each set of labels, and a loop that fetches as many jobs as this node can run.
import type { PgBoss } from "pg-boss";
import { SystemClock } from "../../../base/clock.ts";
import type { Delivery, Worker } from "../../executions/runs/shared_runs.ts";
import { firstOf } from "../../../base/first_of.ts";
import { DatabaseUnreachable } from "../../database/database.ts";
import { WorkLoop } from "../../../base/work_loop.ts";
import type { Query } from "./connection.ts";
import { openBoss, type OpenBossOptions, QUEUE_OPTIONS } from "./pg_boss.ts";
import { describeAddress, outageReason } from "./postgres_errors.ts";
import type { OpenTransaction } from "./transaction.ts";
import { isDelegatedQueue, matchesLabels, QUEUE_SCHEMA, requireLabels } from "./queue_names.ts";

const POLL_MS = 1_000;
/** The maximum wait for a running statement during a stop. */
const STOP_MS = 3_000;
/** The maximum number of jobs in one fetch, so that other nodes get jobs, too. */
const BATCH = 20;

/**
 * SQL: updates the heartbeat of held jobs. Also updates `started_on`, because pg-boss expires a job one day after that
 * time.
 */
const HEARTBEAT = `UPDATE ${QUEUE_SCHEMA}.job
  SET heartbeat_on = ${QUEUE_SCHEMA}.job_now(), started_on = ${QUEUE_SCHEMA}.job_now()
  WHERE id = ANY($1::uuid[]) AND state = 'active' AND (id::text || ':' || retry_count) = ANY($2::text[])
  RETURNING id`;

/** The options of JobQueue. */
export interface OpenJobQueueOptions extends OpenBossOptions {
  /** The labels of this node. */
  labels: readonly string[];
}

/** A job that this node holds, with the name of its queue. */
type HeldJob = Delivery & { queue: string };

/** The part of the worker that receives jobs. */
type JobReceiver = Omit<Worker, "cancel">;

/** The queues of executions that wait for a node, and the jobs that this node holds. */
export class JobQueue {
  readonly #boss: PgBoss;
  readonly #place: string;
  readonly #labels: ReadonlySet<string>;
  readonly #clock = new SystemClock();
  readonly #onError: (error: unknown) => void;
  /** Fetches jobs, at least once in POLL_MS. */
  readonly #loop: WorkLoop;
  /** The queues that exist or are being created, by name. */
  readonly #created = new Map<string, Promise<void>>();
  readonly #held = new Map<string, HeldJob>();
  /** The names of all queues that this node's labels match. Undefined if they must be read again. */
  #names: readonly string[] | undefined;
  /** False if no job waited for room on this node after the last fetch. */
  #mayWait = true;
  /** False if wake() has caused the next fetch. */
  #isPoll = true;
  #worker: JobReceiver | undefined;
  /** Resolves when the fetch loop has stopped, or after STOP_MS. */
  #fetchingStopped: Promise<void> | undefined;
  /** The index of the queue to fetch from next. It rotates, so that a long queue does not block the others. */
  #turn = 0;

  private constructor(
    boss: PgBoss,
    { address, labels, onError }: OpenJobQueueOptions,
  ) {
    this.#boss = boss;
    this.#place = describeAddress(address);
    this.#labels = new Set(labels);
    this.#onError = onError;
    this.#loop = new WorkLoop({
      clock: this.#clock,
      work: () => this.#fetchRound(),
      failed: onError,
      retry: { firstMs: POLL_MS, longestMs: POLL_MS },
    });
  }

  /** Connects to the database, and creates the tables of pg-boss if they are missing. Rejects with DatabaseUnusable. */
  static async open(options: OpenJobQueueOptions): Promise<JobQueue> {
    requireLabels(options.labels);
    const boss = await openBoss(options);
    return new JobQueue(boss, options);
  }

  /**
   * Creates a job for an execution in an open transaction, and returns the job's id. Nodes see the job after the commit. If
   * the queue is missing, it is created outside of the transaction.
   */
  async send(
    executionId: number,
    { queue, send }: { queue: string; send: OpenTransaction["send"] },
  ): Promise<string> {
    await this.#createQueue(queue);
    const id = crypto.randomUUID();
    const executeSql = (text: string, values: unknown[] = []) => {
      send(text, values);
      // The result that pg-boss expects. The statement itself is sent later.
      return Promise.resolve({ rows: [{ id }] });
    };
    await this.#boss.send(queue, { executionId }, { id, db: { executeSql } });
    return id;
  }

  /** Starts to fetch jobs from all queues that this node's labels match. */
  work(worker: JobReceiver): void {
    if (this.#worker !== undefined) throw new Error("This queue is being worked already");
    this.#worker = worker;
    this.#loop.start();
  }

  /**
   * Fetches jobs immediately, because the queue has a new one. Returns false if this node would not get it: its labels do
   * not match, or it can run no further execution.
   */
  wakeFor(queue: string): boolean {
    if (this.#worker === undefined || this.#loop.signal.aborted) return false;
    if (!matchesLabels(queue, this.#labels)) return false;
    if (!this.#names?.includes(queue)) this.#names = undefined;
    this.#mayWait = true;
    if (roomFor(queue, this.#worker) <= 0) return false;
    this.wake();
    return true;
  }

  /** Fetches jobs immediately if some may wait, because this node can run another execution. */
  offerRoom(): void {
    if (this.#mayWait) this.wake();
  }

  /** Fetches jobs immediately, instead of after the poll interval of a second. */
  wake(): void {
    if (this.#worker === undefined) return;
    this.#isPoll = false;
    this.#loop.wake();
  }

  /**
   * Completes the job of an execution that has ended or waits. Rejects with StorageUnavailable if the database fails. After
   * the lease expires, another node then gets the job and completes it without a run.
   */
  async complete(delivery: Delivery): Promise<void> {
    await this.#endJob(delivery, (job) => this.#boss.complete(job.queue, attemptOf(job)));
  }

  /** Returns a job to the queue, so that another node gets it. Rejects as complete() does. */
  async release(delivery: Delivery): Promise<void> {
    this.#mayWait = true;
    await this.#endJob(
      delivery,
      (job) => this.#boss.fail(job.queue, attemptOf(job), { released: true }),
    );
  }

  /** Stops the heartbeat of a job. After its lease expires, another node gets it. */
  drop(delivery: Delivery): void {
    if (this.holds(delivery)) this.#held.delete(delivery.jobId);
  }

  /** Returns true if this node holds the job as it was handed out this time, and has not received the job again since. */
  holds(delivery: Delivery): boolean {
    return this.#held.get(delivery.jobId) === delivery;
  }

  /** Sends the heartbeat of all held jobs, and reports jobs that this node has lost to the worker. */
  async sendHeartbeat(query: Query): Promise<void> {
    const jobs = [...this.#held.values()];
    if (jobs.length === 0) return;
    const { rows } = await query(HEARTBEAT, [
      jobs.map(({ jobId }) => jobId),
      jobs.map(({ jobId, attempt }) => `${jobId}:${attempt}`),
    ]);
    const ours = new Set(rows.map((row) => (row as { id: string }).id));
    for (const delivery of jobs) {
      // During the query, the job may have ended here, or this node may have received the job again.
      if (ours.has(delivery.jobId) || !this.holds(delivery)) continue;
      this.#held.delete(delivery.jobId);
      this.#worker?.lost(delivery);
    }
  }

  /** Stops fetching jobs. Held jobs are kept. */
  async stopFetching(): Promise<void> {
    await (this.#fetchingStopped ??= this.#waitBriefly(this.#loop[Symbol.asyncDispose]()));
  }

  /** Stops fetching jobs, releases the held jobs, and disconnects. */
  async stop(): Promise<void> {
    await this.stopFetching();
    for (const delivery of [...this.#held.values()]) {
      await this.release(delivery).catch(this.#onError);
    }
    await this.#waitBriefly(this.#boss.stop({ graceful: false }));
  }

  /**
   * Waits for work in progress during a stop, up to STOP_MS. If the database does not respond, the jobs become free when
   * their leases expire.
   */
  async #waitBriefly(work: Promise<void>): Promise<void> {
    await firstOf(work, { within: { clock: this.#clock, ms: STOP_MS } });
  }

  async #endJob(delivery: Delivery, end: (job: HeldJob) => Promise<unknown>): Promise<void> {
    const job = this.#held.get(delivery.jobId);
    // If this node has received the job again, an earlier holder must not end the job.
    if (job === undefined || job !== delivery) return;
    // Ends the heartbeat of the job. If the statement below fails, its lease expires.
    this.#held.delete(delivery.jobId);
    try {
      await end(job);
    } catch (error) {
      throw this.#toUnreachable(error);
    }
  }

  #toUnreachable(error: unknown): unknown {
    const reason = outageReason(error);
    if (reason === undefined) return error;
    return new DatabaseUnreachable(`Cannot use ${this.#place}: ${reason}.`, { cause: error });
  }

  #createQueue(queue: string): Promise<void> {
    return this.#created.getOrInsertComputed(queue, async () => {
      try {
        await this.#boss.createQueue(queue, QUEUE_OPTIONS);
      } catch (error) {
        this.#created.delete(queue);
        throw this.#toUnreachable(error);
      }
    });
  }

  /** Fetches jobs until this node can run no more, or all queues are empty. Returns the time until the next fetch. */
  async #fetchRound(): Promise<number> {
    const worker = this.#worker;
    if (worker === undefined) return POLL_MS;
    // Another node may have created a queue.
    if (this.#isPoll) this.#names = undefined;
    this.#isPoll = true;
    const names = this.#names ?? await this.#readNames();
    this.#names = names;
    this.#mayWait = false;
    for (let empty = 0; empty < names.length && !this.#loop.signal.aborted;) {
      const name = names[this.#turn++ % names.length] ?? "";
      const limit = Math.min(roomFor(name, worker), BATCH);
      if (limit <= 0) {
        this.#mayWait = true;
        empty++;
        continue;
      }
      const jobs = await this.#boss.fetch<{ executionId: number }>(name, {
        batchSize: limit,
      });
      for (const { id, retryCount, data: { executionId } } of jobs) {
        const isDelegated = isDelegatedQueue(name);
        const job = { jobId: id, executionId, attempt: retryCount, isDelegated, queue: name };
        this.#held.set(id, job);
        if (!this.#loop.signal.aborted) worker.accept(job);
      }
      empty = jobs.length < limit ? empty + 1 : 0;
    }
    return POLL_MS;
  }

  async #readNames(): Promise<string[]> {
    const { rows } = await this.#boss.getDb().executeSql(
      `SELECT name FROM ${QUEUE_SCHEMA}.queue ORDER BY name`,
    );
    const names = rows.map(({ name }) => name as string);
    return names.filter((name) => matchesLabels(name, this.#labels));
  }
}

/**
 * Returns the number of further executions of a queue that this node can run. Delegated executions are not limited, because
 * their parents wait for them.
 */
function roomFor(queue: string, worker: JobReceiver): number {
  return isDelegatedQueue(queue) ? Infinity : worker.free();
}

function attemptOf({ jobId, attempt }: Delivery): { id: string; retryCount: number } {
  return { id: jobId, retryCount: attempt };
}
