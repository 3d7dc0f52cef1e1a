// The page's connection to the service: its state, and the changed topics. The event stream reports only that something
// changed; the views load the new state. After a reconnect every topic counts as changed.
import { sleepUnlessAborted, withinTime } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { ApiError, type Client, type ServiceEventMessage } from "../../api/client/client.ts";

/** The kinds of data that a view may depend on. */
export const TOPICS = ["agents", "executions", "scheduler"] as const;
export type Topic = typeof TOPICS[number];

/** The state of the connection. */
export type LinkState =
  | { phase: "connecting" }
  | { phase: "online" }
  /** `reason` is a sentence, `since` a time in milliseconds since the epoch. */
  | { phase: "lost"; reason: string; since: number };

/** The milliseconds before each reconnect; the last value repeats. */
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000];
/**
 * The milliseconds without an event after which the connection counts as lost. The service sends an event at least every 10
 * seconds.
 */
const SILENCE_MS = 25_000;
/** The milliseconds within which changes are reported together. */
const BATCH_MS = 200;

/** The topics that each event changes. A heartbeat changes none. */
const TOPICS_OF: Readonly<Record<string, readonly Topic[]>> = {
  execution_started: ["executions", "agents"],
  execution_waiting: ["executions", "agents"],
  execution_resting: ["executions", "agents"],
  execution_resumed: ["executions", "agents"],
  execution_completed: ["executions", "agents", "scheduler"],
  agents_changed: ["agents", "scheduler"],
  scheduler_changed: ["scheduler", "agents"],
  trigger_changed: ["scheduler", "agents"],
  budget_warning: ["agents"],
};

/** The connection of the page to the service. `run` keeps it open. */
export class ServiceLink {
  readonly #options: { client: Client; clock: Clock };
  readonly #listeners = new Set<() => void>();
  readonly #eventListeners = new Set<(event: ServiceEventMessage) => void>();
  readonly #versions: Record<Topic, number> = { agents: 0, executions: 0, scheduler: 0 };
  #state: LinkState = { phase: "connecting" };
  #isNotifying = false;
  #waiting = new AbortController();

  constructor(options: { client: Client; clock: Clock }) {
    this.#options = options;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Returns a number that increases whenever data of the topic may have changed. */
  version(topic: Topic): number {
    return this.#versions[topic];
  }

  /** Calls the listener after each change of the state or of a version. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls the listener with each event of the service. Returns a function that unsubscribes. */
  onEvent(listener: (event: ServiceEventMessage) => void): () => void {
    this.#eventListeners.add(listener);
    return () => void this.#eventListeners.delete(listener);
  }

  /** Resolves when a topic has a later version than the given one, or when the signal aborts. */
  changeSince(
    version: number,
    { topic, signal }: { topic: Topic; signal: AbortSignal },
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (signal.aborted || this.version(topic) !== version) resolve();
    };
    const leave = this.subscribe(check);
    const onAbort = () => resolve();
    signal.addEventListener("abort", onAbort);
    check();
    return promise.finally(() => {
      leave();
      signal.removeEventListener("abort", onAbort);
    });
  }

  /** Ends the wait before the next attempt and reconnects at once. */
  retry(): void {
    this.#waiting.abort();
  }

  /** Reports topics as changed, for example after a request of this page. */
  markChanged(...topics: readonly Topic[]): void {
    for (const topic of topics) this.#versions[topic]++;
    this.#notifySoon();
  }

  /** Keeps the connection open until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted;) {
      const failure = await this.#listen(signal, () => {
        attempt = 0;
        this.#setState({ phase: "online" });
        this.markChanged(...TOPICS);
      });
      if (signal.aborted) return;
      this.#setLost(failure);
      this.#waiting = new AbortController();
      const wait = RETRY_MS[Math.min(attempt++, RETRY_MS.length - 1)] ?? 0;
      const either = AbortSignal.any([signal, this.#waiting.signal]);
      await sleepUnlessAborted(this.#options.clock, wait, either);
    }
  }

  /** Reads the event stream to its end. Returns the reason of the end as a sentence. */
  async #listen(signal: AbortSignal, onOpen: () => void): Promise<string> {
    const { client, clock } = this.#options;
    const limit = { clock, ms: SILENCE_MS, reason: new Error("No event arrived"), signal };
    try {
      return await withinTime(limit, async (either, restart) => {
        const open = () => {
          restart();
          onOpen();
        };
        for await (const event of client.events({ signal: either, onOpen: open })) {
          restart();
          if (event.event === "shutdown") return "The service has stopped.";
          this.#receive(event);
        }
        return "The service ended the connection.";
      });
    } catch (error) {
      return toReason(error);
    }
  }

  #receive(event: ServiceEventMessage): void {
    const topics = TOPICS_OF[event.event] ?? [];
    if (topics.length > 0) this.markChanged(...topics);
    for (const listener of this.#eventListeners) listener(event);
  }

  #setLost(reason: string): void {
    const since = this.#state.phase === "lost" ? this.#state.since : this.#options.clock.now();
    this.#setState({ phase: "lost", reason, since });
  }

  #setState(state: LinkState): void {
    this.#state = state;
    this.#notify();
  }

  /** Notifies the listeners once for all changes within BATCH_MS. */
  #notifySoon(): void {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    this.#options.clock.sleep(BATCH_MS).then(() => {
      this.#isNotifying = false;
      this.#notify();
    });
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function toReason(error: unknown): string {
  if (!(error instanceof ApiError)) {
    return 'No response: the service, or the "inkling ui" that opened this page, has stopped.';
  }
  if (error.status === 401) {
    return "The log-in has ended or is missing: reload the page to log in.";
  }
  return `The service refused the request: ${error.message}.`;
}
