// The result of a change that lets executions run again.
import type { TriggerStop } from "../../events/bus.ts";
import type { Execution } from "../execution.ts";

/** A changed execution, and the ancestors that waited only for it. The ancestors run again on this machine. */
export interface Resumption {
  execution: Execution;
  /** Nearest first. */
  ancestors: Execution[];
  /** Present if its end paused its agent's trigger or re-armed it. */
  trigger?: { reason: string; stop: TriggerStop } | "running";
}
