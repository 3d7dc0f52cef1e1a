// The store interface for the ends of rests.
import type { AuditEntry } from "../../audit/audit_table.ts";
import type { RunRest } from "../execution.ts";
import type { Resumption } from "./resumption.ts";

/** The end of a rest: its time in milliseconds since the epoch, and its cause. */
export type EndedRest = NonNullable<RunRest["ended"]>;

/** A resting execution, and the planned end of its rest in milliseconds since the epoch. */
export interface NextRest {
  id: number;
  until: number;
}

/** Ends rests. Rejects with a RuntimeError of code `storage` if nothing can be stored. */
export interface RestStore {
  /**
   * Ends a rest. The execution and the ancestors that rested only for it run again on this machine. Returns undefined if
   * the execution does not rest, because a rest ends once. `by: "time"` ends the rest only if it is due at `at`.
   */
  endRest(
    executionId: number,
    ended: EndedRest,
    audit?: AuditEntry,
  ): Promise<Resumption | undefined>;

  /** Returns the rest that ends next, or undefined if no execution rests. Leaves out parents of resting children. */
  readNextRest(): Promise<NextRest | undefined>;
}
