// The deadlines of questions: one timer for all. The deadlines are read from the store, so that they survive restarts.
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { EventBus } from "../../events/bus.ts";
import type { RunnerPorts } from "./runner_ports.ts";
import { MINUTE_MS, SECOND_MS } from "../../../base/time_units.ts";
import type { HumanAnswers } from "./human_answers.ts";
import type { RequestStore } from "../record/request_store.ts";

/** The longest single sleep, so that a suspended machine or a changed clock is noticed. */
const LONGEST_SLEEP_MS = MINUTE_MS;
/** The delay after a failure. */
const RETRY_MS = 5 * SECOND_MS;

type Ports = Pick<RunnerPorts, "clock" | "serviceLog"> & {
  requests: Pick<RequestStore, "readNextExpiry">;
  answers: Pick<HumanAnswers, "expire">;
  events: Pick<EventBus, "subscribe">;
};

/** Expires open requests at their deadlines. */
export class RequestExpiry implements AsyncDisposable {
  readonly #ports: Ports;
  readonly #over = new AbortController();
  /** Ids of expired requests that are skipped until `retryPostponed()`. */
  #postponed = new Set<string>();
  #waiting = new AbortController();
  #watching: Promise<void> | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Starts the timer. Deadlines in the past are handled at once. */
  start(): void {
    this.#watching ??= this.#watch();
  }

  /** Retries the postponed requests, because the agents' files were read again. */
  retryPostponed(): void {
    this.#postponed = new Set();
    this.#waiting.abort();
  }

  /** Stops the timer and waits for a request that is being expired. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { requests, answers, events, clock, serviceLog } = this.#ports;
    // A new question may have the earliest deadline.
    const unsubscribe = events.subscribe(({ type }) => {
      if (type === "execution_waiting") this.#waiting.abort();
    });
    while (!this.#over.signal.aborted) {
      this.#waiting = new AbortController();
      let waitMs = LONGEST_SLEEP_MS;
      try {
        // The current set. After a concurrent `retryPostponed()` these requests are retried with the rest.
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
        // The request stays due, so an immediate retry could loop forever.
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
