// Limits the concurrent model calls to `defaults.max_concurrent_runs`. Other calls wait in order of arrival.
import { FifoSemaphore } from "../fifo_semaphore.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { Model } from "../model.ts";

/** A call that joins the queue: the id of its model, and its run for the log. */
export interface QueuedCall {
  model: string;
  subject: Parameters<Model["generate"]>[1]["subject"];
}

/** The queue of the model calls of a runtime. */
export class ModelQueue {
  readonly #semaphore: FifoSemaphore;
  readonly #log: ServiceLog;

  constructor(options: { limit: number; log: ServiceLog }) {
    this.#semaphore = new FifoSemaphore(options.limit);
    this.#log = options.log;
  }

  /** Returns the place of a new call. Later calls are behind it. The call does not hold the place before take(). */
  join(call: QueuedCall): QueuePlace {
    return new QueuePlace(this.#semaphore, call, this.#log);
  }
}

/** The place of one call. Disposal lets the next call take it. */
export class QueuePlace implements Disposable {
  readonly #semaphore: FifoSemaphore;
  readonly #call: QueuedCall;
  readonly #log: ServiceLog;
  readonly #ticket: number;
  #held: Disposable | undefined;
  #isLogged = false;

  constructor(semaphore: FifoSemaphore, call: QueuedCall, log: ServiceLog) {
    this.#semaphore = semaphore;
    this.#call = call;
    this.#log = log;
    this.#ticket = semaphore.takeTicket();
  }

  /** True if the next take() waits. */
  get mustWait(): boolean {
    return this.#held === undefined && this.#semaphore.isFull;
  }

  /** Waits for the place; does nothing if the call holds it. Rejects with `signal.reason` if the signal aborts. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.mustWait && !this.#isLogged) {
      this.#isLogged = true;
      const { model, subject } = this.#call;
      const { held: running, waiting: ahead } = this.#semaphore;
      this.#log.write("info", "Model call waits: as many run as max_concurrent_runs allows", {
        ...subject,
        model,
        running,
        ahead,
      });
    }
    this.#held ??= await this.#semaphore.acquire(signal, this.#ticket);
  }

  /** Lets the next call take the place. A later take() of this call still comes before all calls that joined after it. */
  leave(): void {
    this.#held?.[Symbol.dispose]();
    this.#held = undefined;
  }

  [Symbol.dispose](): void {
    this.leave();
  }
}
