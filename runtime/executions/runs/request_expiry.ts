// Expires questions at their deadlines, with one timer. The deadlines are read from the store, so that they survive
// restarts.
import { WorkLoop } from "../../../base/work_loop.ts";
import type { EventBus } from "../../events/bus.ts";
import type { RunnerPorts } from "./runner_ports.ts";
import { MINUTE_MS, SECOND_MS } from "../../../base/time_units.ts";
import { type HumanRequest, NotWaiting } from "../human_request.ts";
import { AgentUnreadable } from "../refusals.ts";
import type { ActiveRuns } from "./active_runs.ts";
import type { HumanAnswers } from "./human_answers.ts";
import type { RequestStore } from "../record/request_store.ts";

/** The maximum duration of one sleep in milliseconds. Short sleeps notice a suspended machine or a changed clock. */
const LONGEST_SLEEP_MS = MINUTE_MS;
/** The delay after a failure. The deadline stays in the past, so retries without a delay could loop forever. */
const RETRY = { firstMs: 5 * SECOND_MS, longestMs: 5 * SECOND_MS };

type Ports = Pick<RunnerPorts, "clock" | "log"> & {
  active: Pick<ActiveRuns, "track">;
  requests: Pick<RequestStore, "readNextExpiry">;
  answers: Pick<HumanAnswers, "give">;
  events: Pick<EventBus, "subscribe">;
};

/** Expires open questions at their deadlines. */
export class RequestExpiry implements AsyncDisposable {
  readonly #ports: Ports;
  readonly #loop: WorkLoop;
  /** The ids of expired questions whose agents cannot be read. They are skipped until retryPostponed() is called. */
  #postponed = new Set<string>();
  /** The ids of postponed questions that were logged. Each is logged once. */
  readonly #logged = new Set<string>();
  #unsubscribe: (() => void) | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
    const { clock, log } = ports;
    const message = "The deadlines of requests could not be kept; tried again soon";
    this.#loop = new WorkLoop({
      clock,
      work: () => this.#expireDue(),
      failed: (error) => log.write("error", message, { error }),
      retry: RETRY,
    });
  }

  /** Starts the timer. Questions whose deadline has passed expire at once. */
  start(): void {
    this.#unsubscribe ??= this.#ports.events.subscribe(({ type }) => {
      // A new question may have an earlier deadline than all others.
      if (type === "execution_waiting") this.#loop.wake();
    });
    this.#loop.wake();
  }

  /** Called after the agents' files were read again. Tries the postponed questions again. */
  retryPostponed(): void {
    this.#postponed = new Set();
    if (this.#unsubscribe !== undefined) this.#loop.wake();
  }

  /** Stops the timer and waits for a question that is being expired. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe?.();
    await this.#loop[Symbol.asyncDispose]();
  }

  /** Expires the questions whose deadline has passed. Returns the milliseconds until the next read. */
  async #expireDue(): Promise<number | undefined> {
    const { requests, clock } = this.#ports;
    while (!this.#loop.signal.aborted) {
      // Read once, because retryPostponed() may replace the set during the waits below. A question that is added to the old
      // set is then tried again with all others.
      const postponed = this.#postponed;
      const next = await requests.readNextExpiry(postponed);
      if (next?.expiresAt == null) return LONGEST_SLEEP_MS;
      const ms = next.expiresAt - clock.now();
      if (ms > 0) return Math.min(ms, LONGEST_SLEEP_MS);
      if (!await this.#expire(next)) postponed.add(next.requestId);
    }
    return undefined;
  }

  /**
   * Expires a question and resumes its execution. Returns false if the agent of the execution or of an ancestor cannot be
   * read now. Rejects if the change cannot be stored.
   */
  async #expire({ executionId, requestId }: HumanRequest): Promise<boolean> {
    const { active, answers, log } = this.#ports;
    try {
      // Tracked, because a stored answer starts the execution.
      await active.track(answers.give(executionId, { requestId, answer: { expired: true } }));
    } catch (error) {
      if (error instanceof AgentUnreadable) {
        if (!this.#logged.has(requestId)) {
          const fields = { execution: executionId };
          log.write("warn", `No answer in time: ${error.message}`, fields);
        }
        this.#logged.add(requestId);
        return false;
      }
      // NotWaiting means that a person has answered before the question expired.
      if (!(error instanceof NotWaiting)) throw error;
    }
    this.#logged.delete(requestId);
    return true;
  }
}
