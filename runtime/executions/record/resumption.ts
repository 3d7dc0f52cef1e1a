// The result of a change that makes executions run again.
import type { TriggerStop } from "../../events/bus.ts";
import type { Execution } from "../execution.ts";

/** A changed execution, and the ancestors that waited only for it and run again on this machine. */
export interface Resumption {
  execution: Execution;
  /** The resumed ancestors, the direct parent first. */
  ancestors: Execution[];
  /**
   * The change of the agent's trigger by the execution's end: why the trigger was stopped, or `running` if it was re-armed.
   * Absent if the trigger did not change.
   */
  trigger?: { reason: string; stop: TriggerStop } | "running";
}
