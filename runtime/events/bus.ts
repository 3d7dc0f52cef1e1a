// What happens in the service as a whole, published as it happens. Nothing is kept: who was away asks for the state.
import type { ServiceLog } from "../service_log/service_log.ts";

/** How a trigger was stopped. */
export interface TriggerStop {
  /** Too many runs, runs that cause each other, too much to watch, or runs that keep failing. */
  by: "runs" | "loop" | "size" | "failures";
  /** When one run is tried; null: only after somebody resumes it. */
  retryAt: number | null;
  /** The print of its agent: see agentPrint. */
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
  /** One agent's trigger was stopped, or may fire again. */
  | {
    type: "trigger_changed";
    agentId: string;
    displayName: string;
    status: "paused" | "running";
    /** Why it is paused; null when it runs again. */
    reason: string | null;
    /** Absent when it runs again. */
    stop?: TriggerStop;
  }
  /** A budget has come near its end: once in each of its periods. Amounts are dollars or tokens. */
  | {
    type: "budget_warning";
    /** Whose budget it is; null: the workspace's. */
    agentId: string | null;
    displayName: string | null;
    /** The first execution of the tree that it is of; null: it is of a day or month. */
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

/** Where an event arose: in this service, or in another one on the same database, which tells of it. */
export type EventPlace = "here" | "elsewhere";

/**
 * Hears of every event. What it throws is logged and affects nobody else. Where several services share a database each of
 * them hears it: what is to be stored or sent once because of it is for the one where it arose.
 */
export type ServiceEventListener = (event: ServiceEvent, arose: EventPlace) => void;

/** Passes events to whoever listens now, in the order they were published. */
export class EventBus {
  readonly #listeners = new Set<ServiceEventListener>();
  readonly #log: ServiceLog;

  constructor(log: ServiceLog) {
    this.#log = log;
  }

  /** Adds a listener; returns the function that takes it away again. */
  subscribe(listener: ServiceEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** How many listeners there are: none must be left when those who listened have ended. */
  get listening(): number {
    return this.#listeners.size;
  }

  publish(event: ServiceEvent, arose: EventPlace = "here"): void {
    for (const listener of this.#listeners) {
      try {
        listener(event, arose);
      } catch (error) {
        // One listener's fault must not stop an execution, nor keep others from hearing of it.
        this.#log.write("error", "A listener to the service's events failed", { error });
      }
    }
  }
}
