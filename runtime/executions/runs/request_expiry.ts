// Deadlines of questions: one timer for all of them, over what is stored, so that they hold across restarts.
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import type { EventBus } from "../../events/bus.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { MINUTE_MS, SECOND_MS } from "../../../base/time_units.ts";
import type { HumanAnswers } from "./human_answers.ts";
import type { RequestStore } from "../record/request_store.ts";

/** The longest sleep: a machine that was suspended, or a clock that was set, is noticed by then. */
const LONGEST_SLEEP_MS = MINUTE_MS;
/** How long to wait after a deadline could not be kept. */
const RETRY_MS = 5 * SECOND_MS;

/** What deadlines are kept with. */
export interface RequestExpiryPorts {
  requests: Pick<RequestStore, "readNextExpiry">;
  answers: Pick<HumanAnswers, "expire">;
  events: Pick<EventBus, "subscribe">;
  clock: Clock;
  serviceLog: ServiceLog;
}

/** Lets every open request expire whose time is over. */
export class RequestExpiry implements AsyncDisposable {
  readonly #ports: RequestExpiryPorts;
  readonly #over = new AbortController();
  /** Ids of requests that stay as they are until `retryPostponed()`. */
  #postponed = new Set<string>();
  #waiting = new AbortController();
  #watching: Promise<void> | undefined;

  constructor(ports: RequestExpiryPorts) {
    this.#ports = ports;
  }

  /** Keeps deadlines from now on, those that are over already included. */
  start(): void {
    this.#watching ??= this.#watch();
  }

  /** Agents were read again: what was postponed is tried again. */
  retryPostponed(): void {
    this.#postponed = new Set();
    this.#waiting.abort();
  }

  /** Keeps no deadlines any more; waits for one that is being kept. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { requests, answers, events, clock, serviceLog } = this.#ports;
    // A new deadline may be the first one now.
    const unsubscribe = events.subscribe(({ type }) => {
      if (type === "execution_waiting") this.#waiting.abort();
    });
    while (!this.#over.signal.aborted) {
      this.#waiting = new AbortController();
      let waitMs = LONGEST_SLEEP_MS;
      try {
        // The set of now: what is postponed after a `retryPostponed()` on the way is tried again with the rest.
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
        // What could not be stored stays due: asking again at once would ask without end.
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
