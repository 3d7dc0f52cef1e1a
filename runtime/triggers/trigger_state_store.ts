// The port to the triggers that failures have stopped. They stay stopped when the service restarts.
import type { TriggerStop } from "../events/bus.ts";

/** A stopped trigger. */
export interface StoppedTrigger extends Pick<TriggerStop, "print" | "retryAt"> {
  agentId: string;
  reason: string;
}

/** Each method is one transaction. */
export interface TriggerStateStore {
  /** The triggers that failures have stopped. */
  readStopped(): Promise<StoppedTrigger[]>;
  /** Stores when one run of a stopped trigger is tried next. */
  postponeTry(agentId: string, retryAt: number): Promise<void>;
  /** Counts failures from zero again. With `dropsChanges` removes the agent's queued file changes; returns how many. */
  release(agentId: string, options: { dropsChanges: boolean }): Promise<number>;
}
