// Limits the concurrent model calls to `defaults.max_concurrent_runs`. Other calls wait in order of arrival.
import { FifoSemaphore } from "../fifo_semaphore.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { Model, ModelDelta, ModelReply, ModelRequest } from "../model.ts";

type CallSubject = Parameters<Model["generate"]>[1]["subject"];

const QUEUED = "Waits for other model calls: as many run as max_concurrent_runs allows";

/** The queue of all model calls. One per runtime. */
export class ModelQueue {
  readonly #semaphore: FifoSemaphore;
  readonly #log: ServiceLog;

  constructor(options: { limit: number; log: ServiceLog }) {
    this.#semaphore = new FifoSemaphore(options.limit);
    this.#log = options.log;
  }

  /** True: the next call has to wait. */
  get isFull(): boolean {
    return this.#semaphore.isFull;
  }

  /** Waits for a place and holds it until disposed. Rejects with `signal.reason` if the signal aborts first. */
  async acquire(
    model: string,
    signal: AbortSignal,
    subject?: CallSubject,
  ): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#semaphore.isFull) {
      this.#log.write("info", "Model call waits: as many run as max_concurrent_runs allows", {
        ...subject,
        model,
        running: this.#semaphore.held,
        ahead: this.#semaphore.waiting,
      });
    }
    return await this.#semaphore.acquire(signal);
  }
}

/**
 * Returns a model that queues its calls. It wraps `withRetry`: the wait in the queue does not count against the reply's timeout,
 * and a call keeps its place while it waits for its next attempt.
 */
export function withQueue(model: Model, queue: ModelQueue): Model {
  return {
    get id() {
      return model.id;
    },
    async *generate(
      request: ModelRequest,
      options: Parameters<Model["generate"]>[1],
    ): AsyncGenerator<ModelDelta, ModelReply, void> {
      // The check precedes `enter`, because the call joins the queue only with the caller's next step.
      if (queue.isFull) yield { type: "notice", level: "info", text: QUEUED };
      using _place = await queue.acquire(model.id, options.signal, options.subject);
      return yield* model.generate(request, options);
    },
  };
}
