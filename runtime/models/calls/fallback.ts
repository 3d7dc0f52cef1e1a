// Fallback models: calls another model if one is down, out of quota or refuses. A run starts with the first model and keeps
// the one that answered last. Loaded only for agents with a fallback.
import { SECOND_MS } from "../../../base/time_units.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { concernsModel } from "../adaptation/refusals.ts";
import { type Model, ModelError, type ModelRequest } from "../model.ts";
import { ReplyTimeout, withRemark } from "./retry.ts";

/** The longest wait for a model while another one is left. */
const LONGEST_WAIT_MS = 10 * SECOND_MS;

/** One model of the chain, opened at its first call. */
export interface FallbackModel {
  /** `provider/name`. */
  id: string;
  /** Opens the model. Throws ModelError if it cannot be called. `longestWaitMs` limits the wait of its calls for another attempt. */
  open(longestWaitMs: () => number, request: ModelRequest): Promise<Model>;
}

/**
 * Combines the models of one run into one. A call that fails before its reply began is repeated with the next model, unless
 * the request itself was at fault. After the last model it throws the last failure, or the first if that one is retryable.
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

/** Returns the error to report after all models failed: the first if it is retryable, else the last. Names the others in its message. */
function decisiveError(failures: readonly Failure[]): Error | undefined {
  const isFirst = failures[0]?.error instanceof ModelError && failures[0].error.retryable;
  const error = failures.at(isFirst ? 0 : -1)?.error;
  const others = failures.filter((one) => one.error !== error)
    .map(({ id, error: { message } }) => `; ${id} failed, too: ${message}`);
  return error instanceof ModelError && others.length > 0
    ? withRemark(error, others.join(""))
    : error;
}
