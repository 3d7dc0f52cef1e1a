// Cancels a watched run: sends a request to the service, and waits a limited time for the end of the run.
import { type Client, ServiceUnreachable } from "../../api/client/client.ts";
import type { CliApp } from "../context/app.ts";
import { Interrupted } from "../context/exit.ts";
import type { Output } from "../output/output.ts";

/** The maximum wait for the end of a cancelled run. */
const CANCEL_MS = 15_000;

/** The watched run, and the objects that its cancellation needs. */
export interface CancellableRun {
  app: CliApp;
  output: Output;
  client: Client;
  executionId: number;
}

/** The cancellation of a run. It must be disposed when the run is no longer watched. */
export class RunCancellation implements Disposable {
  readonly #run: CancellableRun;
  readonly #over = new AbortController();
  #isRequested = false;

  constructor(run: CancellableRun) {
    this.#run = run;
  }

  /** Returns whether request() has been called. */
  get isRequested(): boolean {
    return this.#isRequested;
  }

  /**
   * A signal that aborts with Interrupted if the cancelled run does not end in time, or the service refuses to cancel it.
   */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Sends the request to cancel the run. Further calls have no effect. */
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
      // The watch was disposed because the run has ended.
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
