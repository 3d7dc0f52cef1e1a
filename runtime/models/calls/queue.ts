// Limits the concurrent model calls to `defaults.max_concurrent_runs`. Other calls wait in order of arrival.
import { FifoSemaphore } from "../fifo_semaphore.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { Model, ModelDelta, ModelReply, ModelRequest } from "../model.ts";

type CallSubject = Parameters<Model["generate"]>[1]["subject"];

const QUEUED = "Waits for other model calls: as many run as max_concurrent_runs allows";

/** The queue of the model calls of a runtime. */
export class ModelQueue {
  readonly #semaphore: FifoSemaphore;
  readonly #log: ServiceLog;

  constructor(options: { limit: number; log: ServiceLog }) {
    this.#semaphore = new FifoSemaphore(options.limit);
    this.#log = options.log;
  }

  /** True if the next call has to wait. */
  get isFull(): boolean {
    return this.#semaphore.isFull;
  }

  /**
   * Waits for a place in the set of running calls. The place is held until the result is disposed. Rejects with
   * `signal.reason` if the signal aborts during the wait.
   */
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
 * Returns a model that queues its calls. Wrap it around the model with retries: the wait in the queue then does not count
 * toward the timeout of a reply, and a call keeps its place between its attempts.
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
      // The check comes before `enter`: the call joins the queue only when the caller requests the next delta.
      if (queue.isFull) yield { type: "notice", level: "info", text: QUEUED };
      using _place = await queue.acquire(model.id, options.signal, options.subject);
      return yield* model.generate(request, options);
    },
  };
}
