// A node for tests with several nodes. It accepts executions, fetches their jobs from the queue, and records its
// deliveries.
// @ts-types="@types/pg"
import type { Client } from "pg";
import { all, enqueue, fence, get, run } from "../../../../runtime/database/operation.ts";
import { type Claim, claimExecution } from "../../../../runtime/storage/postgres/claims.ts";
import type { Delivery } from "../../../../runtime/executions/runs/shared_runs.ts";
import { queueFor } from "../../../../runtime/storage/postgres/queue_names.ts";
import { PostgresDatabase } from "../../../../runtime/storage/postgres/postgres_database.ts";
import { JobQueue } from "../../../../runtime/storage/postgres/job_queue.ts";
import { openClient } from "../../../support/postgres.ts";
import { settle } from "../../../support/test_clock.ts";

/** The options of QueueMachine. */
export interface MachineOptions {
  address: string;
  name: string;
  labels?: readonly string[];
}

/** A simulated node with its database and queue. */
export class QueueMachine implements AsyncDisposable {
  /** All deliveries to this node, in order. */
  readonly taken: Delivery[] = [];
  readonly lost: string[] = [];
  /** The number of further jobs that the node accepts. A completed, released or lost job adds one. */
  room = 0;
  onTake: (job: Delivery) => void = () => {};
  readonly #open = new Set<string>();
  #isAtWork = false;
  /** The number of times that the queue has read `room`: at least once per round of the fetch loop. */
  #rounds = 0;

  private constructor(
    readonly name: string,
    readonly database: PostgresDatabase,
    readonly queue: JobQueue,
    readonly client: Client,
    readonly sent: Map<number, string>,
    readonly labelsOf: Map<number, readonly string[]>,
    readonly leases: Map<number, number>,
    readonly errors: unknown[],
  ) {}

  static async open({ address, name, labels = [] }: MachineOptions): Promise<QueueMachine> {
    const sent = new Map<number, string>();
    const labelsOf = new Map<number, readonly string[]>();
    const leases = new Map<number, number>();
    const errors: unknown[] = [];
    const queue = await JobQueue.open({ address, labels, onError: (error) => errors.push(error) });
    const client = await openClient(address);
    const database = await PostgresDatabase.open({
      address,
      connections: 4,
      node: {
        instanceId: name,
        leases,
        enqueue: async ({ id }, { send }) => {
          const job = await queue.send(id, { queue: queueFor(labelsOf.get(id) ?? []), send });
          sent.set(id, job);
          send("UPDATE executions SET job = $1 WHERE id = $2", [job, id]);
        },
        cancelled: () => {},
      },
    });
    await database.change("power", () =>
      run(
        "INSERT INTO instances (id, pid, started_at) VALUES (?, 1, 0) ON CONFLICT DO NOTHING",
        name,
      ));
    return new QueueMachine(name, database, queue, client, sent, labelsOf, leases, errors);
  }

  /** Starts to accept jobs, up to `room` at once. */
  work(room = Infinity): void {
    this.room = room;
    if (this.#isAtWork) return this.queue.wake();
    this.#isAtWork = true;
    this.queue.work({
      free: () => {
        this.#rounds++;
        return this.room - this.#open.size;
      },
      accept: (job) => {
        this.#open.add(job.jobId);
        this.taken.push(job);
        this.onTake(job);
      },
      lost: ({ jobId }) => {
        this.#open.delete(jobId);
        this.lost.push(jobId);
      },
    });
  }

  /** Stops accepting jobs, and drops the held jobs without ending them. */
  async rest(): Promise<void> {
    this.room = 0;
    this.onTake = () => {};
    if (this.#isAtWork) {
      // The current round of the fetch loop may have read the earlier room. Two rounds later, no fetch uses it.
      for (const enough = this.#rounds + 2; this.#rounds < enough;) {
        this.queue.wake();
        await settle();
      }
    }
    for (const job of this.taken) this.queue.drop(job);
    for (const list of [this.taken, this.lost, this.errors]) list.length = 0;
    this.#open.clear();
  }

  /** Removes all executions and jobs. */
  async forgetAll(): Promise<void> {
    await this.client.query("DELETE FROM inkling_queue.job; DELETE FROM inkling.executions");
  }

  /**
   * Creates an execution and its job in one transaction, and returns the id. With `fail`, rolls the transaction back at its
   * end.
   */
  async accept({ labels = [] as readonly string[], fail = false } = {}): Promise<number> {
    return await this.database.change(
      "power",
      function* (this: QueueMachine) {
        const row = yield* get<{ id: number }>(
          "INSERT INTO executions (agent_id, display_name, status, trigger, request, model, started_at) " +
            "VALUES ('a', 'A', 'running', 'manual', '{}', '', 0) RETURNING id",
        );
        const id = row?.id ?? -1;
        this.labelsOf.set(id, labels);
        yield* enqueue({ id, agentId: "a", parentExecutionId: null });
        if (fail) throw new Error("rolled back");
        return id;
      }.bind(this),
    );
  }

  /** Resumes a waiting execution with a new job. */
  async answer(id: number): Promise<void> {
    await this.database.change("power", function* () {
      yield* run("UPDATE executions SET instance_id = NULL WHERE id = ?", id);
      yield* enqueue({ id, agentId: "a", parentExecutionId: null });
    });
  }

  async claim(delivery: Delivery): Promise<Claim | undefined> {
    const claim = await this.database.change("power", () => claimExecution(delivery, this.name));
    if (claim !== undefined) this.leases.set(delivery.executionId, claim.epoch);
    return claim;
  }

  /** Writes a frame. Rejects with LeaseLost if another node has claimed the execution. */
  async write(executionId: number): Promise<void> {
    await this.database.change("power", function* () {
      yield* fence(executionId);
      yield* run(
        "INSERT INTO frames (execution_id, event, payload) VALUES (?, 'ai', '{}')",
        executionId,
      );
    });
  }

  async complete(jobId: string): Promise<void> {
    this.#open.delete(jobId);
    await this.#end(jobId, (job) => this.queue.complete(job));
    this.queue.wake();
  }

  async release(jobId: string): Promise<void> {
    this.#open.delete(jobId);
    await this.#end(jobId, (job) => this.queue.release(job));
  }

  /** Ends the last delivery of a job with the function `end`. */
  async #end(jobId: string, end: (delivery: Delivery) => Promise<void>): Promise<void> {
    const delivery = this.taken.findLast((one) => one.jobId === jobId);
    if (delivery !== undefined) await end(delivery);
  }

  /** Returns the number of jobs in each state. */
  async states(): Promise<Record<string, number>> {
    const rows = await this.database.read(() =>
      all<{ state: string; jobs: number }>(
        "SELECT state, count(*) AS jobs FROM inkling_queue.job WHERE name LIKE 'run%' GROUP BY state",
      )
    );
    return Object.fromEntries(rows.map(({ state, jobs }) => [state, jobs]));
  }

  /** Changes all jobs by SQL, to simulate pg-boss or the passage of time. */
  async changeJobs(changes: string): Promise<void> {
    await this.database.change("power", () => run(`UPDATE inkling_queue.job SET ${changes}`));
  }

  /** Sends a heartbeat, as a real node does at intervals. */
  async beat(): Promise<void> {
    await this.queue.sendHeartbeat(async (text, values) =>
      await this.client.query(text, values as unknown[])
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.queue.stop();
    await this.client.end().catch(() => {});
    await this.database[Symbol.asyncDispose]();
  }
}
