// The port to triggers stopped for failures. They stay stopped across restarts.
import type { TriggerStop } from "../events/bus.ts";

/** A stopped trigger. */
export interface StoppedTrigger extends Pick<TriggerStop, "print" | "retryAt"> {
  agentId: string;
  reason: string;
}

/** Each method is one transaction. */
export interface TriggerStateStore {
  /** Returns the triggers stopped for failures. */
  readStopped(): Promise<StoppedTrigger[]>;
  /** Stores the time of the next try of a stopped trigger. */
  postponeTry(agentId: string, retryAt: number): Promise<void>;
  /** Resets the count of failures. With `dropsChanges` removes the agent's queued file changes; returns their number. */
  release(agentId: string, options: { dropsChanges: boolean }): Promise<number>;
}
