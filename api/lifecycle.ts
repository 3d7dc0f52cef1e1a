// What the service is busy with, and when it stops: on request, on a signal, or after minutes with nothing to do.
import { TRIGGER_KINDS, type TriggerType } from "../runtime/trigger_kinds.ts";
import { sleepUnlessAborted } from "../base/bounded_wait.ts";
import type { Clock } from "../base/clock.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { RequestRefused } from "./errors.ts";
import { MINUTE_MS } from "../base/time_units.ts";
import { Followers } from "./streams/followers.ts";

/** Why the service stops. */
export type StopReason = "requested" | "idle" | "signal";

/** A stream that hears when the service stops. */
export interface OpenStream {
  /** The stop has begun; what still happens may be sent. */
  stopBegan?(reason: StopReason): void;
  /** Ends with a `shutdown` frame, where it has sent none. */
  end(reason: StopReason): void;
}

/** Time with nothing to do after which the service stops, unless the caller says otherwise. */
const IDLE_TIMEOUT_MS = 5 * MINUTE_MS;
/** Triggers can change without an event, so they are looked at this often. */
const LOOK_MS = MINUTE_MS;
const SHORTEST_LOOK_MS = 100;

/** One running service: its requests in flight, its open streams, its wish to stop. */
export class Lifecycle {
  readonly keepAlive: boolean;
  /** Resolves with the first reason to stop. */
  readonly stopRequested: Promise<StopReason>;
  readonly followers: Followers;

  readonly #runtime: Runtime;
  readonly #clock: Clock;
  readonly #idleTimeoutMs: number;
  readonly #serviceMode: boolean;
  readonly #hasPort: boolean;
  readonly #resolveStop: (reason: StopReason) => void;
  readonly #over = new AbortController();
  readonly #streams = new Set<OpenStream>();
  #requests = 0;
  #stopping: StopReason | null = null;
  #streamsEnded = false;
  #lastActive: number;

  constructor(options: {
    runtime: Runtime;
    /** Never stop because there is nothing to do. */
    keepAlive: boolean;
    /** An execution that waits for a person keeps the service alive: with keepAlive, or while it listens on TCP. */
    serviceMode: boolean;
    /** Whether it listens on TCP; not unless given. */
    hasPort?: boolean;
    idleTimeoutMs?: number;
  }) {
    this.#runtime = options.runtime;
    this.#clock = options.runtime.clock;
    this.followers = new Followers(this.#clock);
    this.keepAlive = options.keepAlive;
    this.#serviceMode = options.serviceMode;
    this.#hasPort = options.hasPort ?? false;
    this.#idleTimeoutMs = options.idleTimeoutMs ?? IDLE_TIMEOUT_MS;
    this.#lastActive = this.#clock.now();
    const { promise, resolve } = Promise.withResolvers<StopReason>();
    this.stopRequested = promise;
    this.#resolveStop = resolve;
  }

  /** Why the service is stopping; null while it is not. */
  get stopping(): StopReason | null {
    return this.#stopping;
  }

  /** Throws RequestRefused (503) while the service stops: it starts no runs. */
  requireRunning(): void {
    if (this.#stopping !== null) throw new RequestRefused(503, "The service is shutting down");
  }

  get activeStreams(): number {
    return this.#streams.size;
  }

  /** Asks the service to stop; the first reason counts. Returns before anything has stopped. */
  requestStop(reason: StopReason): void {
    if (this.#stopping !== null) return;
    this.#stopping = reason;
    this.#over.abort();
    for (const stream of this.#streams) stream.stopBegan?.(reason);
    this.#resolveStop(reason);
  }

  /** Counts a request in flight until the returned function is called. */
  requestStarted(): () => void {
    this.#requests++;
    return () => {
      this.#requests--;
      this.#touch();
    };
  }

  /** Counts an open stream until the returned function is called. One that comes too late is ended at once. */
  streamOpened(stream: OpenStream): () => void {
    this.#streams.add(stream);
    if (this.#stopping !== null) {
      stream.stopBegan?.(this.#stopping);
      if (this.#streamsEnded) stream.end(this.#stopping);
    }
    return () => {
      if (this.#streams.delete(stream)) this.#touch();
    };
  }

  /** Sends `shutdown` on every open stream and on those still to come. Only while stopping. */
  endStreams(): void {
    if (this.#stopping === null) throw new TypeError("endStreams() before requestStop()");
    this.#streamsEnded = true;
    for (const stream of this.#streams) stream.end(this.#stopping);
  }

  /** Requests the stop after the idle time with nothing to do. Returns when the service stops for any reason. */
  async watchIdle(): Promise<void> {
    if (this.keepAlive) return;
    const unsubscribe = this.#runtime.events.subscribe(() => this.#touch());
    try {
      await this.#untilIdle();
    } finally {
      unsubscribe();
    }
  }

  async #untilIdle(): Promise<void> {
    let hadWork = false;
    while (this.#stopping === null) {
      const left = this.#lastActive + this.#idleTimeoutMs - this.#clock.now();
      const wait = Math.max(SHORTEST_LOOK_MS, Math.min(left, LOOK_MS));
      if (!await sleepUnlessAborted(this.#clock, wait, this.#over.signal)) return;
      const hasWork = await this.#hasWork();
      // Requests and streams say when they end. Other work ended somewhere between two looks: the time counts from the second.
      if (this.#isServing || hasWork || hadWork) this.#touch();
      hadWork = hasWork;
      if (this.#clock.now() >= this.#lastActive + this.#idleTimeoutMs) this.requestStop("idle");
    }
  }

  get #isServing(): boolean {
    return this.#requests > 0 || this.#streams.size > 0;
  }

  /** Whether an execution, a message or a trigger needs the service. */
  async #hasWork(): Promise<boolean> {
    try {
      if (await this.#runtime.messages.hasOpen()) return true;
      const { running, waiting } = await this.#runtime.countExecutions();
      if (running > 0 || (this.#serviceMode && waiting > 0)) return true;
      const listings = await this.#runtime.listAgents();
      // One that fires nothing now may have to take over from another service.
      return listings.some(({ agent, nextRun, heldBecause = null }) =>
        agent.enabled && ((nextRun ?? heldBecause) !== null || this.#isAwaited(agent.trigger.type))
      );
    } catch (error) {
      // Not knowing is no reason to stop.
      this.#runtime.log.write("error", "Cannot tell whether the service is idle", { error });
      return true;
    }
  }

  /** Whether it may have to start such an agent at any moment. */
  #isAwaited(type: TriggerType): boolean {
    const { keepsServiceBusy } = TRIGGER_KINDS[type];
    return keepsServiceBusy === "on_port" ? this.#hasPort : keepsServiceBusy;
  }

  #touch(): void {
    this.#lastActive = this.#clock.now();
  }
}
