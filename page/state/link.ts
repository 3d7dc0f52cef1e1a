// The page's connection to the service: whether it is up, and what has changed. The stream of events says *that*
// something changed; what it is now, the views ask for. After a loss everything counts as changed.
import type { Clock } from "../../base/clock.ts";
import { ApiError, type Client, type ServiceEventMessage } from "../../api/client/client.ts";

/** What a view may depend on. */
export const TOPICS = ["agents", "executions", "scheduler"] as const;
export type Topic = typeof TOPICS[number];

/** Whether the service answers. */
export type LinkState =
  | { phase: "connecting" }
  | { phase: "online" }
  /** `reason` is a sentence; `since` in milliseconds since the epoch. */
  | { phase: "lost"; reason: string; since: number };

/** Waits before each attempt to connect again, in milliseconds; the last one repeats. */
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000];
/** The service says something every 10 s. After such a silence the connection is taken for dead. */
const SILENCE_MS = 25_000;
/** Changes within this time are reported as one. */
const GATHER_MS = 200;

/** What each event changes. A heartbeat changes nothing. */
const TOPICS_OF: Readonly<Record<string, readonly Topic[]>> = {
  execution_started: ["executions", "agents"],
  execution_waiting: ["executions", "agents"],
  execution_resumed: ["executions", "agents"],
  execution_completed: ["executions", "agents", "scheduler"],
  agents_changed: ["agents", "scheduler"],
  scheduler_changed: ["scheduler", "agents"],
  trigger_changed: ["scheduler", "agents"],
  budget_warning: ["agents"],
};

/** One connection, kept up while `run` runs. */
export class ServiceLink {
  readonly #options: { client: Client; clock: Clock };
  readonly #listeners = new Set<() => void>();
  readonly #eventListeners = new Set<(event: ServiceEventMessage) => void>();
  readonly #versions: Record<Topic, number> = { agents: 0, executions: 0, scheduler: 0 };
  #state: LinkState = { phase: "connecting" };
  #isGathering = false;
  #waiting = new AbortController();

  constructor(options: { client: Client; clock: Clock }) {
    this.#options = options;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Counts up whenever something of this topic may have changed. */
  version(topic: Topic): number {
    return this.#versions[topic];
  }

  /** Calls back after every change of the state or of a version, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls back with each event of the service as it comes. */
  onEvent(listener: (event: ServiceEventMessage) => void): () => void {
    this.#eventListeners.add(listener);
    return () => void this.#eventListeners.delete(listener);
  }

  /** Resolves when a topic has changed since a version of it, and at once when the signal aborts. */
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

  /** Tries at once instead of at the end of the wait. */
  retry(): void {
    this.#waiting.abort();
  }

  /** Says that a topic may have changed, because this page changed it. */
  touch(...topics: readonly Topic[]): void {
    for (const topic of topics) this.#versions[topic]++;
    this.#gather();
  }

  /** Connects, and connects again, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted;) {
      const failure = await this.#listen(signal, () => {
        attempt = 0;
        this.#become({ phase: "online" });
        this.touch(...TOPICS);
      });
      if (signal.aborted) return;
      this.#lose(failure);
      this.#waiting = new AbortController();
      const wait = RETRY_MS[Math.min(attempt++, RETRY_MS.length - 1)] ?? 0;
      await this.#options.clock.sleep(wait, AbortSignal.any([signal, this.#waiting.signal])).catch(
        () => {
          // Somebody wants it sooner, or not at all: the loop looks which.
        },
      );
    }
  }

  /** Follows the events to their end; returns the sentence that says why they ended. */
  async #listen(signal: AbortSignal, onOpen: () => void): Promise<string> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    let heard = this.#options.clock.now();
    const watch = this.#endSilence(() => heard, over);
    try {
      const open = () => {
        heard = this.#options.clock.now();
        onOpen();
      };
      for await (const event of this.#options.client.events({ signal: either, onOpen: open })) {
        heard = this.#options.clock.now();
        if (event.event === "shutdown") return "The service has stopped.";
        this.#take(event);
      }
      return "The service ended the connection.";
    } catch (error) {
      return toReason(error);
    } finally {
      over.abort();
      await watch;
    }
  }

  /** Aborts a connection on which nothing was heard for too long. */
  async #endSilence(heardAt: () => number, over: AbortController): Promise<void> {
    try {
      for (;;) {
        const left = heardAt() + SILENCE_MS - this.#options.clock.now();
        if (left <= 0) return over.abort();
        await this.#options.clock.sleep(left, over.signal);
      }
    } catch (error) {
      if (!over.signal.aborted) throw error;
    }
  }

  #take(event: ServiceEventMessage): void {
    const topics = TOPICS_OF[event.event] ?? [];
    if (topics.length > 0) this.touch(...topics);
    for (const listener of this.#eventListeners) listener(event);
  }

  #lose(reason: string): void {
    const since = this.#state.phase === "lost" ? this.#state.since : this.#options.clock.now();
    this.#become({ phase: "lost", reason, since });
  }

  #become(state: LinkState): void {
    this.#state = state;
    this.#tell();
  }

  /** Tells what changed, once for all that changes within a moment. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#options.clock.sleep(GATHER_MS).then(() => {
      this.#isGathering = false;
      this.#tell();
    });
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function toReason(error: unknown): string {
  if (!(error instanceof ApiError)) {
    return 'Nothing answers: the service, or the "inkling ui" that opened this page, has stopped.';
  }
  if (error.status === 401) {
    return "The log-in has ended, or the service requires its API key: reload the page to log in.";
  }
  return `The service refuses: ${error.message}.`;
}
