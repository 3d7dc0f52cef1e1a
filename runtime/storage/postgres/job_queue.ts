// The queue of executions that are to run, over all machines: jobs, leases and redelivery are pg-boss's. What is ours: one
// queue for each set of labels, and a loop that takes no more than this machine has room for.
import type { PgBoss } from "pg-boss";
import { type Clock, NO_LONGER_NEEDED, SystemClock } from "../../../base/clock.ts";
import type { Delivery, Worker } from "../../executions/runs/shared_runs.ts";
import { firstOf } from "../../../base/first_of.ts";
import { DatabaseAway } from "../database.ts";
import type { Query } from "./connection.ts";
import { openBoss, type OpenBossOptions, QUEUE_OPTIONS } from "./pg_boss.ts";
import { describeAddress, outageReason } from "./postgres_errors.ts";
import { isOfDelegated, QUEUE_SCHEMA, requireLabels, suits } from "./queue_names.ts";

const POLL_MS = 1_000;
/** How long a stop waits for a statement that is under way. */
const STOP_MS = 3_000;
/** The most jobs of one statement: a machine with much room leaves some to others that ask at the same time. */
const BATCH = 20;

/**
 * One statement for the jobs of all queues. `started_on` is moved, too: pg-boss takes a job away a day after it, however alive its
 * machine is.
 */
const HEARTBEAT = `UPDATE ${QUEUE_SCHEMA}.job
  SET heartbeat_on = ${QUEUE_SCHEMA}.job_now(), started_on = ${QUEUE_SCHEMA}.job_now()
  WHERE id = ANY($1::uuid[]) AND state = 'active' AND (id::text || ':' || retry_count) = ANY($2::text[])
  RETURNING id`;

/** How a queue is opened. */
export interface OpenJobQueueOptions extends OpenBossOptions {
  /** What this machine has. */
  labels: readonly string[];
  clock?: Clock;
}

/** A delivery that is ours until its end. */
interface HeldJob {
  queue: string;
  delivery: Delivery;
}

/** Who takes jobs. */
type Taker = Omit<Worker, "cancel">;

/** The runs that wait for a machine, and the jobs that this one has. */
export class JobQueue {
  readonly #boss: PgBoss;
  readonly #place: string;
  readonly #labels: ReadonlySet<string>;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  /** Queues that are known to exist, or are being made. */
  readonly #made = new Map<string, Promise<void>>();
  readonly #held = new Map<string, HeldJob>();
  readonly #closed = new AbortController();
  /** Ends the pause of the loop that takes jobs: the present one, or the next where it is at work. */
  #wake = new AbortController();
  #worker: Taker | undefined;
  #taking: Promise<void> | undefined;
  /** It takes no more, or that was waited for long enough. */
  #taken: Promise<void> | undefined;
  /** Which queue is asked first changes, so that none has to wait for another to be empty. */
  #turn = 0;

  private constructor(
    boss: PgBoss,
    { address, labels, clock, onError }: OpenJobQueueOptions,
  ) {
    this.#boss = boss;
    this.#place = describeAddress(address);
    this.#labels = new Set(labels);
    this.#clock = clock ?? new SystemClock();
    this.#onError = onError;
  }

  /** Connects, and makes the queue's tables where they are missing. Rejects with DatabaseUnusable. */
  static async open(options: OpenJobQueueOptions): Promise<JobQueue> {
    requireLabels(options.labels);
    const boss = await openBoss(options);
    return new JobQueue(boss, options);
  }

  /**
   * Makes a job for an execution with statements of a transaction that is open, and gives its id: nobody sees it before that
   * is stored. The queue is made outside of it.
   */
  async send(
    executionId: number,
    { queue, query }: { queue: string; query: Query },
  ): Promise<string> {
    await this.#make(queue);
    const db = { executeSql: query };
    const id = await this.#boss.send(queue, { executionId }, { db });
    if (id === null) throw new Error(`The queue ${queue} made no job for execution ${executionId}`);
    return id;
  }

  /** Begins to take jobs, from all queues whose labels this machine has. */
  work(worker: Taker): void {
    if (this.#worker !== undefined) throw new Error("This queue is being worked already");
    this.#worker = worker;
    this.#taking = this.#takeOn(worker);
  }

  /** Whether this machine would take a job of the queue now. */
  hasRoom(queue: string): boolean {
    if (this.#worker === undefined || this.#closed.signal.aborted) return false;
    return suits(queue, this.#labels) && roomFor(queue, this.#worker) > 0;
  }

  /** There may be a job, or room for one. Without it, that is found out within a second. */
  wake(): void {
    this.#wake.abort(NO_LONGER_NEEDED);
  }

  /**
   * The execution rests. Where this cannot be stored, it rejects with StorageUnavailable; the job goes to another machine once the lease
   * has run out, and that one finds nothing to do.
   */
  async complete(delivery: Delivery): Promise<void> {
    await this.#let(delivery, (job) => this.#boss.complete(job.queue, attemptOf(job)));
  }

  /** Back to the queue, for whoever takes it. As complete() where it cannot be stored. */
  async release(delivery: Delivery): Promise<void> {
    await this.#let(
      delivery,
      (job) => this.#boss.fail(job.queue, attemptOf(job), { released: true }),
    );
  }

  /** Says nothing more of a job: another machine gets it when the lease has run out. */
  forget(delivery: Delivery): void {
    if (this.holds(delivery)) this.#held.delete(delivery.jobId);
  }

  /** Whether it is ours as far as is known: not lost, also not to a later delivery of the same job. */
  holds(delivery: Delivery): boolean {
    return this.#held.get(delivery.jobId)?.delivery === delivery;
  }

  /** Keeps what this machine has, and tells the worker what it has no more. */
  async beat(query: Query): Promise<void> {
    const jobs = [...this.#held.values()];
    if (jobs.length === 0) return;
    const { rows } = await query(HEARTBEAT, [
      jobs.map(({ delivery }) => delivery.jobId),
      jobs.map(({ delivery: { jobId, attempt } }) => `${jobId}:${attempt}`),
    ]);
    const ours = new Set(rows.map((row) => (row as { id: string }).id));
    for (const { delivery } of jobs) {
      // Meanwhile it may have ended here, or have come anew.
      if (ours.has(delivery.jobId) || !this.holds(delivery)) continue;
      this.#held.delete(delivery.jobId);
      this.#worker?.lost(delivery);
    }
  }

  /** Takes no more; what was taken is kept. */
  async stopTaking(): Promise<void> {
    this.#closed.abort(NO_LONGER_NEEDED);
    this.wake();
    await (this.#taken ??= this.#forAMoment(this.#taking));
  }

  /** Takes no more, gives back what is still held, and disconnects. */
  async stop(): Promise<void> {
    await this.stopTaking();
    for (const { delivery } of [...this.#held.values()]) {
      await this.release(delivery).catch(this.#onError);
    }
    await this.#forAMoment(this.#boss.stop({ graceful: false }));
  }

  /** A database that does not answer must not hold up a stop: what it would still do ends with the leases. */
  async #forAMoment(work: Promise<void> | undefined): Promise<void> {
    await firstOf(Promise.resolve(work), { within: { clock: this.#clock, ms: STOP_MS } });
  }

  async #let(delivery: Delivery, end: (job: HeldJob) => Promise<unknown>): Promise<void> {
    const job = this.#held.get(delivery.jobId);
    // A later delivery of the same job is not for the former one to end.
    if (job?.delivery !== delivery) return;
    // From here on it has no heartbeat: what fails now ends with the lease.
    this.#held.delete(delivery.jobId);
    try {
      await end(job);
    } catch (error) {
      throw this.#toAway(error);
    }
  }

  #toAway(error: unknown): unknown {
    const reason = outageReason(error);
    if (reason === undefined) return error;
    return new DatabaseAway(`Cannot use ${this.#place}: ${reason}.`, { cause: error });
  }

  #make(queue: string): Promise<void> {
    return this.#made.getOrInsertComputed(queue, async () => {
      try {
        await this.#boss.createQueue(queue, QUEUE_OPTIONS);
      } catch (error) {
        this.#made.delete(queue);
        throw this.#toAway(error);
      }
    });
  }

  async #takeOn(worker: Taker): Promise<void> {
    while (!this.#closed.signal.aborted) {
      this.#wake = new AbortController();
      try {
        await this.#takeRound(worker);
      } catch (error) {
        this.#onError(error);
      }
      await this.#pause(POLL_MS, this.#wake.signal);
    }
  }

  /** Until there is no room, or each queue is empty. */
  async #takeRound(worker: Taker): Promise<void> {
    const { rows } = await this.#boss.getDb().executeSql(
      `SELECT name FROM ${QUEUE_SCHEMA}.queue ORDER BY name`,
    );
    const names = rows.map(({ name }) => name as string).filter((name) =>
      suits(name, this.#labels)
    );
    for (let empty = 0; empty < names.length && !this.#closed.signal.aborted;) {
      const name = names[this.#turn++ % names.length] ?? "";
      const limit = Math.min(roomFor(name, worker), BATCH);
      if (limit <= 0) {
        empty++;
        continue;
      }
      const jobs = await this.#boss.fetch<{ executionId: number }>(name, {
        batchSize: limit,
      });
      for (const { id, retryCount, data: { executionId } } of jobs) {
        const isDelegated = isOfDelegated(name);
        const delivery = { jobId: id, executionId, attempt: retryCount, isDelegated };
        this.#held.set(id, { queue: name, delivery });
        if (!this.#closed.signal.aborted) worker.take(delivery);
      }
      empty = jobs.length < limit ? empty + 1 : 0;
    }
  }

  /** An abort is an end like any other. */
  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    await this.#clock.sleep(ms, signal).catch(() => {});
  }
}

/** How many more executions of a queue a machine takes. */
function roomFor(queue: string, worker: Taker): number {
  return isOfDelegated(queue) ? Infinity : worker.free();
}

function attemptOf({ delivery }: HeldJob): { id: string; retryCount: number } {
  return { id: delivery.jobId, retryCount: delivery.attempt };
}
