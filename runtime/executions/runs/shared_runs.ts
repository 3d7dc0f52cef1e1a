// Executions that several machines share: which of them run here is decided in the database. The port to that.
import type { StoredRun } from "../record/execution_reads.ts";

/** An execution that this machine may take. */
export interface Delivery {
  jobId: string;
  executionId: number;
  /** Which delivery of the job it is. */
  attempt: number;
  /** Another execution waits for it. */
  isDelegated: boolean;
}

/** What is known of an execution that this machine took. */
export interface Taken {
  subject: StoredRun;
  /** The error with which it is to end, where somebody asked for that before. */
  cancelled: string | null;
  /** Another machine had begun it, or continued it; it died, lost it or left it. */
  isRedelivered: boolean;
  /** How long it is known to have run there since its running time was last stored. */
  ranMs: number;
}

/** What a machine does with deliveries. None of these may throw. */
export interface Worker {
  /** How many more it takes now; delegated ones are always taken, as who delegated waits for them. */
  free(): number;
  /** Must count the delivery against free() at once. A former one of the same execution is lost by that. */
  take(delivery: Delivery): void;
  /** It is no longer ours, and perhaps another's. Nothing may be said of it to the queue any more. */
  lost(delivery: Delivery): void;
  /** Somebody asked for the end of an execution that runs here. */
  cancel(executionId: number, error: string): void;
}

/** Where executions wait for a machine. Each method but `whenChanged` rejects with StorageUnavailable. */
export interface SharedRuns {
  /** Begins to take deliveries. */
  work(worker: Worker): void;
  /** There is room again. */
  wake(): void;
  /** Makes the execution this machine's. Undefined: there is nothing to do for it any more. */
  take(delivery: Delivery): Promise<Taken | undefined>;
  /** The execution rests here, or could not be taken. Where it is still to run, another machine gets it. */
  rest(delivery: Delivery): Promise<void>;
  /** Lets whoever runs it end it with this error; false where it does not run. */
  requestCancel(executionId: number, error: string): Promise<boolean>;
  /** Resolves once something is stored for an execution anywhere, with the signal, and at the latest after a second. */
  whenChanged(executionId: number, signal: AbortSignal): Promise<void>;
  /** Lets those be taken that are to run and wait nowhere. */
  enqueueLeft(): Promise<void>;
  /** Takes nothing more; what was taken is kept until it rests. */
  stopTaking(): Promise<void>;
}
