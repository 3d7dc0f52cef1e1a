// A person cancels a run that they watch: the service is asked once, and the run's end waited for, for a while.
import { type Client, ServiceUnreachable } from "../../api/client/client.ts";
import type { CliApp } from "../app.ts";
import { Interrupted } from "../exit.ts";
import type { Output } from "../output/output.ts";

/** How long a cancelled run may take to end before the command leaves it alone. */
const CANCEL_MS = 15_000;

/** A run that is watched. */
export interface CancellableRun {
  app: CliApp;
  output: Output;
  client: Client;
  executionId: number;
}

/** Cancels one run. Disposed when its watch is over, however that came. */
export class RunCancellation implements Disposable {
  readonly #run: CancellableRun;
  readonly #over = new AbortController();
  #isRequested = false;

  constructor(run: CancellableRun) {
    this.#run = run;
  }

  /** Whether somebody wants the run cancelled. */
  get isRequested(): boolean {
    return this.#isRequested;
  }

  /** Aborts with Interrupted when the cancelled run is given up: it does not end, or the service cannot be asked. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Has the service cancel the run, once. */
  request(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    void this.#cancel();
  }

  [Symbol.dispose](): void {
    this.#over.abort();
  }

  async #cancel(): Promise<void> {
    const { app: { clock }, output, client, executionId } = this.#run;
    output.note(`Cancelling execution ${executionId}. Ctrl+C again stops waiting for it`);
    try {
      await client.cancel(executionId);
      await clock.sleep(CANCEL_MS, this.#over.signal);
      output.error(`Execution ${executionId} has not ended yet: inkling logs -e ${executionId}`);
    } catch (error) {
      // The run has ended, and with it the wait.
      if (this.#over.signal.aborted) return;
      const reason = error instanceof ServiceUnreachable
        ? "the service does not answer"
        : error instanceof Error
        ? error.message
        : String(error);
      output.error(`Execution ${executionId} could not be cancelled: ${reason}`);
    }
    this.#over.abort(new Interrupted());
  }
}
