// How many model calls run at once: `defaults.max_concurrent_runs`. The others wait in the order in which they came.
import type { ServiceLog } from "../service_log/service_log.ts";
import type { Model, ModelDelta, ModelReply, ModelRequest } from "./model.ts";

type CallSubject = Parameters<Model["generate"]>[1]["subject"];

interface Waiting {
  admit: () => void;
}

const QUEUED = "Waits for other model calls: as many run as max_concurrent_runs allows";

/** Places for model calls, given out in order. One per runtime. */
export class ModelQueue {
  readonly #limit: number;
  readonly #log: ServiceLog;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  constructor(options: { limit: number; log: ServiceLog }) {
    this.#limit = options.limit;
    this.#log = options.log;
  }

  /** Whether the next call has to wait. */
  get isFull(): boolean {
    return this.#running >= this.#limit;
  }

  /** Waits for a place and holds it until disposed. Rejects with `signal.reason` when that aborts first. */
  async enter(
    model: string,
    signal: AbortSignal,
    subject?: CallSubject,
  ): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#running < this.#limit) this.#running++;
    else await this.#wait(model, signal, subject);
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (!held) return;
        held = false;
        this.#leave();
      },
    };
  }

  async #wait(model: string, signal: AbortSignal, subject: CallSubject): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const place: Waiting = { admit: resolve };
    this.#waiting.push(place);
    this.#log.write("info", "Model call waits: as many run as max_concurrent_runs allows", {
      ...subject,
      model,
      running: this.#running,
      ahead: this.#waiting.length - 1,
    });
    const onAbort = () => {
      this.#waiting.splice(this.#waiting.indexOf(place), 1);
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    // Once admitted, a late abort must not take a place out of the line.
    place.admit = () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    };
    await promise;
  }

  /** The place goes straight to the next in line, so that nobody can overtake. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next.admit();
  }
}

/**
 * A model whose calls take their place in the queue. It goes around `withRetry`: the wait in line does not count
 * against the reply's timeout, and a call keeps its place while it waits for its next attempt.
 */
export function withQueue(model: Model, queue: ModelQueue): Model {
  return {
    id: model.id,
    async *generate(
      request: ModelRequest,
      options: Parameters<Model["generate"]>[1],
    ): AsyncGenerator<ModelDelta, ModelReply, void> {
      // Asked before: the caller's next step is what makes the call take its place in line.
      if (queue.isFull) yield { type: "notice", level: "info", text: QUEUED };
      using _place = await queue.enter(model.id, options.signal, options.subject);
      return yield* model.generate(request, options);
    },
  };
}
