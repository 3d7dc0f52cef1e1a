// What a change of one execution means for those above it.
import type { TriggerStop } from "../../events/bus.ts";
import type { Execution } from "../execution.ts";

/** An execution after a change, and those above it that waited only for it: they run again, here. */
export interface Resumption {
  execution: Execution;
  /** The nearest first. */
  ancestors: Execution[];
  /** Present where its end stopped its agent's trigger, or let it fire again. */
  trigger?: { reason: string; stop: TriggerStop } | "running";
}
