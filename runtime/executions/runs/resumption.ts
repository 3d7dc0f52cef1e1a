// What a change of one execution means for those above it.
import type { Execution } from "../execution.ts";

/** An execution after a change, and those above it that waited only for it: they run again, here. */
export interface Resumption {
  execution: Execution;
  /** The nearest first. */
  ancestors: Execution[];
}
