// Defines the values that the triggers of all kinds share and receive as one object.
import type { Context } from "../../config/context.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import type { Database } from "../../database/database.ts";
import type { EventBus } from "../../events/bus.ts";
import type { FindHoldReason, StartRun } from "./fire.ts";
import type { StoppedTriggers } from "./stopped_triggers.ts";

/** The shared values of the triggers. The ports of each kind extend TriggerContext instead of repeating its fields. */
export interface TriggerContext extends Context {
  db: Database;
  events: EventBus;
  registry: Pick<AgentRegistry, "get" | "unreadableProblem" | "list">;
  stops: StoppedTriggers;
  start: StartRun;
  findHoldReason: FindHoldReason;
  /** Returns the reason why an agent's trigger does not fire on this service, or undefined if the trigger fires. */
  inactiveReason: (agentId: string) => string | undefined;
  /** Returns true when triggers are paused. */
  isPaused: () => Promise<boolean>;
  /** True when several machines share the database. */
  isShared: boolean;
  /**
   * Requests leases for one kind of work, in place of the leases requested for it before. Of the nodes that share a
   * database, only the holder of a lease does its work. Resolves when it is known which leases this node holds.
   */
  requestLeases: (kind: string, names: readonly string[]) => Promise<void>;
  /** Returns true if this node holds a lease. Returns undefined if the database is not shared. */
  holdsLease: (name: string) => boolean | undefined;
}
