// Calls a fallback model if a model is down, out of quota or refused. A run starts with the first model, and stays with the
// one that answered last. This module is loaded only for agents with a fallback.
import { SECOND_MS } from "../../../base/time_units.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { concernsModel } from "../adaptation/refusals.ts";
import { type Model, ModelError, type ModelRequest } from "../model.ts";
import { ReplyTimeout } from "./retry.ts";

/** The maximum wait for another attempt of a model while a further model is available. */
const LONGEST_WAIT_MS = 10 * SECOND_MS;

/** A model of the chain, opened at its first call. */
interface FallbackModel {
  /** The id of the model, `provider/name`. */
  id: string;
  /**
   * Opens the model. Throws ModelError if it cannot be called. `longestWaitMs` returns the maximum wait of its calls for
   * another attempt, in milliseconds.
   */
  open(longestWaitMs: () => number, request: ModelRequest): Promise<Model>;
}

/**
 * Returns a model that calls the models of a chain in order. If a call fails before its reply has begun, the next model is
 * called, unless the request itself is at fault. If all models fail, throws the first error if it is retryable, otherwise
 * the last.
 */
export function withFallback(models: readonly FallbackModel[], log: ServiceLog): Model {
  const opened = new Map<FallbackModel, Model>();
  let [current] = models;
  let isLast = false;
  return {
    get id() {
      return current?.id ?? "";
    },
    async *generate(request, options) {
      const failures: Failure[] = [];
      const order = new Set([...current ? [current] : [], ...models]);
      for (const model of order) {
        const failed = failures.at(-1);
        if (failed !== undefined) {
          const text = `${model.id} is called instead of ${failed.id}: ${failed.error.message}`;
          log.write("warn", text, { ...options.subject });
          yield { type: "notice", level: "warn", text };
        }
        current = model;
        isLast = failures.length === order.size - 1;
        const progress = { isOpen: false, hasText: false };
        try {
          const wait = () => isLast ? Infinity : LONGEST_WAIT_MS;
          const called = opened.get(model) ?? await model.open(wait, request);
          opened.set(model, called);
          progress.isOpen = true;
          await using stream = called.generate(request, options);
          for (;;) {
            const step = await stream.next();
            if (step.done) return step.value;
            progress.hasText ||= step.value.type === "text";
            yield step.value;
          }
        } catch (error) {
          const isFailure = error instanceof ModelError || error instanceof ReplyTimeout;
          if (!isFailure || options.signal.aborted) throw error;
          failures.push({ id: model.id, error });
          const isOther = error instanceof ReplyTimeout || !progress.isOpen || concernsModel(error);
          if (progress.hasText || !isOther) break;
        }
      }
      throw decisiveError(failures);
    },
  };
}

interface Failure {
  id: string;
  error: ModelError | ReplyTimeout;
}

/**
 * Returns the error to throw after all models failed: the first error if it is retryable, otherwise the last. Its message
 * names the other models.
 */
function decisiveError(failures: readonly Failure[]): Error | undefined {
  const isFirst = failures[0]?.error instanceof ModelError && failures[0].error.retryable;
  const error = failures.at(isFirst ? 0 : -1)?.error;
  const others = failures.filter((one) => one.error !== error)
    .map(({ id, error: { message } }) => `; ${id} failed, too: ${message}`);
  return error instanceof ModelError && others.length > 0
    ? error.withRemark(others.join(""))
    : error;
}
