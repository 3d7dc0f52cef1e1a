// Events of the whole service, published to the current listeners. Nothing is stored: a listener that was away reads the
// state instead.
import type { ServiceLog } from "../service_log/service_log.ts";

/** The stop of a trigger. */
export interface TriggerStop {
  /** The cause: too many runs, a loop of runs, too many watched files, or repeated failures. */
  by: "runs" | "loop" | "size" | "failures";
  /** The time of the next trial run; null: the trigger stays stopped until somebody resumes it. */
  retryAt: number | null;
  /** The digest of the agent at that time: see agentDigest. */
  print: string;
}

/** An event of the service. Times and durations are milliseconds. */
export type ServiceEvent =
  | {
    type: "execution_started";
    executionId: number;
    agentId: string;
    displayName: string;
    trigger: string;
  }
  | {
    type: "execution_completed";
    executionId: number;
    agentId: string;
    displayName: string;
    status: string;
    durationMs: number | null;
    /** From the acceptance of the run to its end, waits included. */
    ageMs: number;
  }
  | {
    type: "execution_waiting";
    executionId: number;
    agentId: string;
    displayName: string;
    requestId: string;
    kind: string;
    message: string;
  }
  | { type: "execution_resumed"; executionId: number; agentId: string; displayName: string }
  | {
    type: "agents_changed";
    change: "loaded" | "updated" | "removed";
    agentId: string;
    displayName: string;
  }
  | { type: "scheduler_changed"; status: "paused" | "running" }
  /** One agent's trigger was stopped or resumed. */
  | {
    type: "trigger_changed";
    agentId: string;
    displayName: string;
    status: "paused" | "running";
    /** The reason of the stop; null: it was resumed. */
    reason: string | null;
    /** Absent: it was resumed. */
    stop?: TriggerStop;
  }
  /** A budget is nearly used up; published once in each period. Amounts are in dollars or tokens. */
  | {
    type: "budget_warning";
    /** Null: a budget of the workspace. */
    agentId: string | null;
    displayName: string | null;
    /** The first execution of the budget's tree; null: a budget by day or month. */
    rootId: number | null;
    /** `per_day`, `tokens.tree` */
    budget: string;
    unit: "usd" | "tokens";
    used: number;
    limit: number;
    /** When the period ends; null for a tree. */
    resetsAt: number | null;
    /** A sentence for a person. */
    message: string;
  };

/** The origin of an event: this service, or another one on the same database. */
export type EventOrigin = "here" | "elsewhere";

/**
 * Receives every event; its errors are logged. Services that share a database receive each other's events. Store or send
 * something for an event only when it arose here.
 */
export type ServiceEventListener = (event: ServiceEvent, origin: EventOrigin) => void;

/** Passes events to the current listeners, in the order of publication. */
export class EventBus {
  readonly #listeners = new Set<ServiceEventListener>();
  readonly #log: ServiceLog;

  constructor(log: ServiceLog) {
    this.#log = log;
  }

  /** Adds a listener; returns the function that removes it. */
  subscribe(listener: ServiceEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The number of listeners: tests check that it returns to 0. */
  get listenerCount(): number {
    return this.#listeners.size;
  }

  publish(event: ServiceEvent, origin: EventOrigin = "here"): void {
    for (const listener of this.#listeners) {
      try {
        listener(event, origin);
      } catch (error) {
        // An error of one listener must neither stop an execution nor reach the other listeners.
        this.#log.write("error", "A listener to the service's events failed", { error });
      }
    }
  }
}
