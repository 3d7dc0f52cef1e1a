// The interface to the shared queue of executions. The database decides which machine runs an execution.
import type { StoredRun } from "../record/execution_reads.ts";

/** A job of the shared queue that was handed to this machine: an execution that the machine may claim. */
export interface Delivery {
  jobId: string;
  executionId: number;
  /** The number of times that the job was handed to a machine before. */
  attempt: number;
  /** True if a parent waits for the execution. */
  isDelegated: boolean;
}

/** An execution that this machine claimed. */
export interface ClaimedExecution {
  subject: StoredRun;
  /** The error of an earlier cancel request. Null if there is none. */
  cancelled: string | null;
  /** True if another machine ran the execution before and died, lost its lease or gave the execution up. */
  isRedelivered: boolean;
  /** The running time in milliseconds on the other machine that was not stored yet. */
  ranMs: number;
}

/** The receiver of a machine's jobs. Its methods must not throw. */
export interface Worker {
  /** Returns the number of free slots. Delegated executions need no slot, because their parents wait for them. */
  free(): number;
  /**
   * Accepts a job and occupies a slot at once. If the machine had an earlier job of the same execution, that job counts as
   * lost.
   */
  accept(delivery: Delivery): void;
  /** Drops a job after the machine has lost the lease on it. The job's run must store nothing more. */
  lost(delivery: Delivery): void;
  /** Cancels an execution that runs on this machine. */
  cancel(executionId: number, error: string): void;
}

/**
 * The shared queue of executions. If the database is unavailable, claim(), release(), requestCancel() and
 * enqueueUnclaimed() reject with StorageUnavailable.
 */
export interface SharedRuns {
  /** Starts to hand jobs to the worker. */
  work(worker: Worker): void;
  /** Reports a free slot to the queue. */
  wake(): void;
  /** Claims the execution for this machine. Returns undefined if the execution no longer needs to run. */
  claim(delivery: Delivery): Promise<ClaimedExecution | undefined>;
  /**
   * Releases an execution that paused, ended or could not be claimed. If the execution must continue, the queue hands it to
   * another machine.
   */
  release(delivery: Delivery): Promise<void>;
  /** Asks the machine that runs the execution to end it with this error. Returns false if the execution does not run. */
  requestCancel(executionId: number, error: string): Promise<boolean>;
  /** Resolves when the execution changes on any machine, when the signal aborts, or after a second. */
  whenChanged(executionId: number, signal: AbortSignal): Promise<void>;
  /** Puts running executions that have no job into the queue. */
  enqueueUnclaimed(): Promise<void>;
  /** Stops claiming executions. Claimed executions are kept until they are released. */
  stopClaiming(): Promise<void>;
}
