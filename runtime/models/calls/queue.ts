// Limits the concurrent model calls to `defaults.max_concurrent_runs`. Other calls wait in order of arrival.
import { FifoSemaphore } from "../fifo_semaphore.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { Model } from "../model.ts";

const QUEUED = "Waits for other model calls: as many run as max_concurrent_runs allows";

/** The queue of the model calls of a runtime. */
export class ModelQueue {
  readonly #semaphore: FifoSemaphore;
  readonly #log: ServiceLog;

  constructor(options: { limit: number; log: ServiceLog }) {
    this.#semaphore = new FifoSemaphore(options.limit);
    this.#log = options.log;
  }

  /**
   * Returns a model that queues its calls. Wrap it around the model with retries: the wait in the queue then does not count
   * toward the timeout of a reply, and a call keeps its place between its attempts.
   */
  wrap(model: Model): Model {
    const [semaphore, log] = [this.#semaphore, this.#log];
    return {
      get id() {
        return model.id;
      },
      async *generate(request, options) {
        // Before the call joins the queue, because it joins only when the caller requests the next delta.
        if (semaphore.isFull) yield { type: "notice", level: "info", text: QUEUED };
        options.signal.throwIfAborted();
        if (semaphore.isFull) {
          log.write("info", "Model call waits: as many run as max_concurrent_runs allows", {
            ...options.subject,
            model: model.id,
            running: semaphore.held,
            ahead: semaphore.waiting,
          });
        }
        using _place = await semaphore.acquire(options.signal);
        return yield* model.generate(request, options);
      },
    };
  }
}
