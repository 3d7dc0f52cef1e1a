// The interface to the shared queue of executions. The database decides which machine runs an execution.
import type { StoredRun } from "../record/execution_reads.ts";

/** An execution that this machine may claim. */
export interface Delivery {
  jobId: string;
  executionId: number;
  /** The number of deliveries of the job, including this one. */
  attempt: number;
  /** True if a parent waits for it. */
  isDelegated: boolean;
}

/** An execution that this machine claimed. */
export interface ClaimedExecution {
  subject: StoredRun;
  /** The error of an earlier cancel request, or null. */
  cancelled: string | null;
  /** True if another machine ran it before and died, lost its lease or left it. */
  isRedelivered: boolean;
  /** Its uncounted running time on the other machine. */
  ranMs: number;
}

/** The receiver of deliveries on a machine. Its methods must not throw. */
export interface Worker {
  /** Returns the number of free slots. Delegated executions need none, because their parents wait for them. */
  free(): number;
  /** Accepts a delivery and counts it in `free()` at once. A former delivery of the same execution is lost. */
  accept(delivery: Delivery): void;
  /** Drops a delivery whose lease was lost. The queue must get no more reports about it. */
  lost(delivery: Delivery): void;
  /** Cancels an execution that runs here. */
  cancel(executionId: number, error: string): void;
}

/** The shared queue of executions. Each method except `whenChanged` rejects with StorageUnavailable. */
export interface SharedRuns {
  /** Starts to send deliveries to the worker. */
  work(worker: Worker): void;
  /** Reports a free slot to the queue. */
  wake(): void;
  /** Claims the execution for this machine. Returns undefined if it no longer needs to run. */
  claim(delivery: Delivery): Promise<ClaimedExecution | undefined>;
  /** Releases an execution that paused, ended or could not be claimed. If it must still run, another machine gets it. */
  release(delivery: Delivery): Promise<void>;
  /** Requests that the machine that runs the execution ends it with this error. Returns false if it does not run. */
  requestCancel(executionId: number, error: string): Promise<boolean>;
  /** Resolves at the next change of the execution on any machine, when the signal aborts, or after a second. */
  whenChanged(executionId: number, signal: AbortSignal): Promise<void>;
  /** Enqueues running executions without a job. */
  enqueueUnclaimed(): Promise<void>;
  /** Claims nothing more. Claimed executions are kept until they are released. */
  stopClaiming(): Promise<void>;
}
