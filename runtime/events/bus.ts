// Publishes the events of the service to listeners. Events are not stored: a listener that was away must read the current
// state.
import type { ServiceLog } from "../service_log/service_log.ts";
import type { FrameIdentity } from "./frame.ts";

/** The reason and end of a trigger's stop. */
export interface TriggerStop {
  /** The cause of the stop: too many runs, a loop of runs, too many watched files, or repeated failures. */
  by: "runs" | "loop" | "size" | "failures";
  /**
   * The time of the next trial run in milliseconds since the epoch. Null if the trigger stays stopped until a person
   * resumes it.
   */
  retryAt: number | null;
  /** The digest of the agent when the trigger stopped, see agentDigest(). */
  print: string;
}

/** An event of the service. Times are in milliseconds since the epoch, durations in milliseconds. */
export type ServiceEvent =
  | FrameIdentity & {
    type: "execution_started";
    trigger: string;
  }
  | FrameIdentity & {
    type: "execution_completed";
    status: string;
    durationMs: number | null;
    /** The time from the run's acceptance to its end, including waits. */
    ageMs: number;
  }
  | FrameIdentity & {
    type: "execution_waiting";
    requestId: string;
    kind: string;
    message: string;
  }
  | FrameIdentity & {
    type: "execution_resting";
    until: number;
    reason: string;
  }
  | FrameIdentity & { type: "execution_resumed" }
  | {
    type: "agents_changed";
    change: "loaded" | "updated" | "removed";
    agentId: string;
    displayName: string;
  }
  | { type: "scheduler_changed"; status: "paused" | "running" }
  /** An agent's trigger was stopped or re-armed. */
  | {
    type: "trigger_changed";
    agentId: string;
    displayName: string;
    status: "paused" | "running";
    /** The reason of the stop. Null if the trigger was re-armed. */
    reason: string | null;
    /** The stop. Absent if the trigger was re-armed. */
    stop?: TriggerStop;
  }
  /** A budget is nearly used up. Published once in each of the budget's periods. Amounts are in dollars or tokens. */
  | {
    type: "budget_warning";
    /** The agent with the budget. Null for a budget of the workspace. */
    agentId: string | null;
    displayName: string | null;
    /** The first execution of the budget's tree. Null for a budget by day or month. */
    rootId: number | null;
    /** The budget's field, such as `per_day` or `tokens.tree`. */
    budget: string;
    unit: "usd" | "tokens";
    used: number;
    limit: number;
    /** The end of the period in milliseconds since the epoch. Null for a tree. */
    resetsAt: number | null;
    /** A sentence about the budget for a person. */
    message: string;
  };

/** The origin of an event: this service, or another one on the same database. */
type EventOrigin = "here" | "elsewhere";

/**
 * Receives every event. Errors of a listener are logged. Services that share a database receive each other's events, so a
 * listener must store or send something only for an event of its own service.
 */
export type ServiceEventListener = (event: ServiceEvent, origin: EventOrigin) => void;

/** Passes events to the current listeners, in the order of publication. */
export class EventBus {
  readonly #listeners = new Set<ServiceEventListener>();
  readonly #log: ServiceLog;

  constructor(log: ServiceLog) {
    this.#log = log;
  }

  /** Adds a listener. Returns a function that removes it. */
  subscribe(listener: ServiceEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The number of listeners. Tests check that it returns to 0. */
  get listenerCount(): number {
    return this.#listeners.size;
  }

  publish(event: ServiceEvent, origin: EventOrigin = "here"): void {
    for (const listener of this.#listeners) {
      try {
        listener(event, origin);
      } catch (error) {
        // An error of a listener must not stop the execution or reach other listeners.
        this.#log.write("error", "A listener to the service's events failed", { error });
      }
    }
  }
}
