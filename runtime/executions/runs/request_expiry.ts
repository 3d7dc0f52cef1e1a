// Expires questions at their deadlines, with one timer. The deadlines are read from the store, so that they survive
// restarts.
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { EventBus } from "../../events/bus.ts";
import type { RunnerPorts } from "./runner_ports.ts";
import { MINUTE_MS, SECOND_MS } from "../../../base/time_units.ts";
import type { HumanAnswers } from "./human_answers.ts";
import type { RequestStore } from "../record/request_store.ts";

/** The maximum duration of one sleep in milliseconds. Short sleeps notice a suspended machine or a changed clock. */
const LONGEST_SLEEP_MS = MINUTE_MS;
/** The delay in milliseconds after a failure. */
const RETRY_MS = 5 * SECOND_MS;

type Ports = Pick<RunnerPorts, "clock" | "serviceLog"> & {
  requests: Pick<RequestStore, "readNextExpiry">;
  answers: Pick<HumanAnswers, "expire">;
  events: Pick<EventBus, "subscribe">;
};

/** Expires open questions at their deadlines. */
export class RequestExpiry implements AsyncDisposable {
  readonly #ports: Ports;
  readonly #over = new AbortController();
  /** The ids of expired questions that are skipped until retryPostponed() is called. */
  #postponed = new Set<string>();
  #waiting = new AbortController();
  #watching: Promise<void> | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Starts the timer. Questions whose deadline has passed expire at once. */
  start(): void {
    this.#watching ??= this.#watch();
  }

  /** Called after the agents' files were read again. Tries the postponed questions again. */
  retryPostponed(): void {
    this.#postponed = new Set();
    this.#waiting.abort();
  }

  /** Stops the timer and waits for a question that is being expired. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { requests, answers, events, clock, serviceLog } = this.#ports;
    // A new question may have an earlier deadline than all others.
    const unsubscribe = events.subscribe(({ type }) => {
      if (type === "execution_waiting") this.#waiting.abort();
    });
    while (!this.#over.signal.aborted) {
      this.#waiting = new AbortController();
      let waitMs = LONGEST_SLEEP_MS;
      try {
        // `this.#postponed` is read once, because retryPostponed() may replace the set during the waits below. A question
        // that is added to the old set is then tried again with all others.
        const postponed = this.#postponed;
        const next = await requests.readNextExpiry(postponed);
        if (next?.expiresAt != null) {
          const restMs = next.expiresAt - clock.now();
          if (restMs <= 0) {
            if (await answers.expire(next) === "postponed") postponed.add(next.requestId);
            continue;
          }
          waitMs = Math.min(restMs, LONGEST_SLEEP_MS);
        }
      } catch (error) {
        // The deadline stays in the past, so retries without a delay could loop forever.
        waitMs = RETRY_MS;
        serviceLog.write("error", "The deadlines of requests could not be kept; tried again soon", {
          error,
        });
      }
      const signal = AbortSignal.any([this.#over.signal, this.#waiting.signal]);
      await sleepUnlessAborted(clock, waitMs, signal);
    }
    unsubscribe();
  }
}
