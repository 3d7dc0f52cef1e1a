// Counts the requests and streams of a running service, and decides when the service stops.
import { TRIGGER_KINDS, type TriggerType } from "../../runtime/vocabulary/trigger_kinds.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { ServiceManager } from "../../runtime/vocabulary/service_managers.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import { RequestRefused } from "../errors.ts";
import { MINUTE_MS } from "../../base/time_units.ts";
import { Followers } from "./followers.ts";
import { SilenceTimer } from "./silence_timer.ts";

/** The reason for a stop of the service. */
export type StopReason = "requested" | "idle" | "signal";

/** An open stream that is notified when the service stops. */
export interface OpenStream {
  /** Called when the stop begins. The stream may still send events. */
  onStop?(reason: StopReason): void;
  /** Ends the stream, after a `shutdown` frame if the stream has not sent this frame. */
  end(reason: StopReason): void;
}

/** The default milliseconds without work after which the service stops. */
const IDLE_TIMEOUT_MS = 5 * MINUTE_MS;
/**
 * The maximum milliseconds between two idle checks. The checks are repeated because a trigger can change without an event.
 */
const LOOK_MS = MINUTE_MS;
const SHORTEST_LOOK_MS = 100;

/** The state of one running service: requests in flight, open streams, and a requested stop. */
export class Lifecycle {
  readonly keepAlive: boolean;
  /** The program that started the service and restarts it; undefined: none. */
  readonly manager: ServiceManager | undefined;
  readonly followers: Followers;
  readonly silence: SilenceTimer;

  readonly #runtime: Runtime;
  readonly #clock: Clock;
  readonly #idleTimeoutMs: number;
  readonly #hasPort: boolean;
  readonly #stop = Promise.withResolvers<StopReason>();
  readonly #over = new AbortController();
  readonly #streams = new Set<OpenStream>();
  #requests = 0;
  #stopping: StopReason | null = null;
  #streamsEnded = false;
  #lastActive: number;

  constructor(options: {
    runtime: Runtime;
    /** True if the service never stops when idle. */
    keepAlive: boolean;
    /** True if the service listens on TCP. Then a waiting execution keeps it alive. Default: false. */
    hasPort?: boolean;
    idleTimeoutMs?: number;
    manager?: ServiceManager | undefined;
  }) {
    this.#runtime = options.runtime;
    this.#clock = options.runtime.clock;
    this.followers = new Followers(this.#clock);
    this.silence = new SilenceTimer(this.#clock);
    this.keepAlive = options.keepAlive;
    this.manager = options.manager;
    this.#hasPort = options.hasPort ?? false;
    this.#idleTimeoutMs = options.idleTimeoutMs ?? IDLE_TIMEOUT_MS;
    this.#lastActive = this.#clock.now();
  }

  /** Resolves with the first reason to stop. */
  get stopRequested(): Promise<StopReason> {
    return this.#stop.promise;
  }

  /** The reason of the stop in progress; null before a stop. */
  get stopping(): StopReason | null {
    return this.#stopping;
  }

  /** Throws RequestRefused (503) while the service stops. */
  requireRunning(): void {
    if (this.#stopping !== null) throw new RequestRefused(503, "The service is shutting down");
  }

  get activeStreams(): number {
    return this.#streams.size;
  }

  /** Requests the stop and returns at once. Only the first reason counts. */
  requestStop(reason: StopReason): void {
    if (this.#stopping !== null) return;
    this.#stopping = reason;
    this.#over.abort();
    for (const stream of this.#streams) stream.onStop?.(reason);
    this.#stop.resolve(reason);
  }

  /** Counts a request in flight until the returned function is called. */
  countRequest(): () => void {
    this.#requests++;
    return () => {
      this.#requests--;
      this.#touch();
    };
  }

  /**
   * Counts an open stream until the returned function is called. Ends the stream at once if the other streams have already
   * been ended.
   */
  addStream(stream: OpenStream): () => void {
    this.#streams.add(stream);
    if (this.#stopping !== null) {
      stream.onStop?.(this.#stopping);
      if (this.#streamsEnded) stream.end(this.#stopping);
    }
    return () => {
      if (this.#streams.delete(stream)) this.#touch();
    };
  }

  /**
   * Ends every open stream with a `shutdown` frame, and every stream that is opened later. Throws TypeError unless the
   * service is stopping.
   */
  endStreams(): void {
    if (this.#stopping === null) throw new TypeError("endStreams() before requestStop()");
    this.#streamsEnded = true;
    for (const stream of this.#streams) stream.end(this.#stopping);
  }

  /** Requests the stop once the service has been idle for the idle time. Resolves when the service stops for any reason. */
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
      // Requests and streams report their ends. Other work may have ended between two checks, so the idle time starts at
      // the later check.
      if (this.#isServing || hasWork || hadWork) this.#touch();
      hadWork = hasWork;
      if (this.#clock.now() >= this.#lastActive + this.#idleTimeoutMs) this.requestStop("idle");
    }
  }

  get #isServing(): boolean {
    return this.#requests > 0 || this.#streams.size > 0;
  }

  /** Returns true if a chat, an execution, a message or a trigger needs the service. */
  async #hasWork(): Promise<boolean> {
    try {
      if (this.#runtime.config.chats.length > 0) return true;
      if (await this.#runtime.messages.hasOpen()) return true;
      const { running, resting, waiting } = await this.#runtime.countExecutions();
      if (running > 0 || resting > 0 || (this.#hasPort && waiting > 0)) return true;
      const listings = await this.#runtime.listAgents();
      // An agent counts as work also if another service fires its trigger, because this service may have to take over.
      return listings.some(({ agent, nextRun, inactiveReason = null }) =>
        agent.enabled &&
        ((nextRun ?? inactiveReason) !== null || this.#isAwaited(agent.trigger.type))
      );
    } catch (error) {
      const message = "Cannot determine if the service is idle; it continues to run";
      this.#runtime.log.write("error", message, { error });
      return true;
    }
  }

  /** Returns true if a trigger of this type can start a run at any moment. */
  #isAwaited(type: TriggerType): boolean {
    const { keepsServiceBusy } = TRIGGER_KINDS[type];
    return keepsServiceBusy === "on_port" ? this.#hasPort : keepsServiceBusy;
  }

  #touch(): void {
    this.#lastActive = this.#clock.now();
  }
}
