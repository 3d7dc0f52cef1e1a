// The result of a change that makes executions run again.
import type { TriggerStop } from "../../events/bus.ts";
import type { Execution } from "../execution.ts";

/** A changed execution, and the ancestors that waited only for it and run again on this machine. */
export interface Resumption {
  execution: Execution;
  /** The resumed ancestors, the direct parent first. */
  ancestors: Execution[];
  /** Present if the execution's end paused its agent's trigger or re-armed it. */
  trigger?: { reason: string; stop: TriggerStop } | "running";
}
