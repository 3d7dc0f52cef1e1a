// Another model where one is down, out of quota or refuses. A run begins with the first and stays with the one that answers.
// Loaded for agents whose model has a fallback.
import { SECOND_MS } from "../../base/time_units.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { isOfModel } from "./adaptation/refusals.ts";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
  type ModelRequest,
} from "./model.ts";
import { amended, ReplyTimeout } from "./retry.ts";

/** A longer wait for a model is not worth it while another one is left. */
const LONGEST_WAIT_MS = 10 * SECOND_MS;

/** A model that may be called. */
export interface FallbackModel {
  /** `provider/name`. */
  id: string;
  /** Throws ModelError where it cannot be called. `longestWaitMs`: how long its calls may wait for another attempt. */
  open(longestWaitMs: () => number, request: ModelRequest): Promise<Model>;
}

/**
 * The models of one run as one: a call that fails before its reply has begun, for a reason that is not the request's, is made
 * with the next one. Throws the last failure when all have failed, or the first where that may pass and the last does not.
 */
export function withFallback(models: readonly FallbackModel[], log: ServiceLog): Model {
  return new ModelWithFallback(models, log);
}

interface Failure {
  id: string;
  error: ModelError | ReplyTimeout;
}

class ModelWithFallback implements Model {
  readonly #models: readonly FallbackModel[];
  readonly #log: ServiceLog;
  readonly #opened = new Map<FallbackModel, Model>();
  #current: FallbackModel | undefined;
  #isLast = false;

  constructor(models: readonly FallbackModel[], log: ServiceLog) {
    this.#models = models;
    this.#log = log;
  }

  get id(): string {
    return (this.#current ?? this.#models[0])?.id ?? "";
  }

  async *generate(
    request: ModelRequest,
    options: Parameters<Model["generate"]>[1],
  ): AsyncGenerator<ModelDelta, ModelReply, void> {
    const failures: Failure[] = [];
    const order = new Set([...this.#current ? [this.#current] : [], ...this.#models]);
    for (const model of order) {
      const failed = failures.at(-1);
      if (failed !== undefined) {
        const text = `${model.id} is called instead of ${failed.id}: ${failed.error.message}`;
        this.#log.write("warn", text, { ...options.subject });
        yield { type: "notice", level: "warn", text };
      }
      this.#current = model;
      this.#isLast = failures.length === order.size - 1;
      const progress = { isOpen: false, hasText: false };
      try {
        return yield* this.#call(model, { request, options, progress });
      } catch (error) {
        const isFailure = error instanceof ModelError || error instanceof ReplyTimeout;
        if (!isFailure || options.signal.aborted) throw error;
        failures.push({ id: model.id, error });
        const isOther = error instanceof ReplyTimeout || !progress.isOpen || isOfModel(error);
        if (progress.hasText || !isOther) break;
      }
    }
    throw decidingOf(failures);
  }

  async *#call(model: FallbackModel, { request, options, progress }: {
    request: ModelRequest;
    options: Parameters<Model["generate"]>[1];
    progress: { isOpen: boolean; hasText: boolean };
  }): AsyncGenerator<ModelDelta, ModelReply, void> {
    const opened = this.#opened.get(model) ??
      await model.open(() => this.#isLast ? Infinity : LONGEST_WAIT_MS, request);
    this.#opened.set(model, opened);
    progress.isOpen = true;
    await using stream = opened.generate(request, options);
    for (;;) {
      const step = await stream.next();
      if (step.done) return step.value;
      progress.hasText ||= step.value.type === "text";
      yield step.value;
    }
  }
}

/** The error of a call that failed with all of these models: the last one, or the first where that may pass. */
function decidingOf(failures: readonly Failure[]): Error {
  const [first] = failures;
  const isFirst = first?.error instanceof ModelError && first.error.retryable;
  const deciding = isFirst ? first : failures.at(-1);
  if (deciding === undefined) throw new RangeError("No model was called");
  const { error } = deciding;
  const others = failures.filter((one) => one !== deciding)
    .map(({ id, error: { message } }) => `${id} failed, too: ${message}`);
  return error instanceof ReplyTimeout || others.length === 0
    ? error
    : amended(error, `; ${others.join("; ")}`);
}
