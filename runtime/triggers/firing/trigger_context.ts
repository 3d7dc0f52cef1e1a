// Defines the values that the triggers of all kinds share and receive as one object.
import type { Agent } from "../../agents/agent.ts";
import type { Context } from "../../config/context.ts";
import type { EventBus } from "../../events/bus.ts";
import type { FindHoldReason, StartRun } from "./fire.ts";
import type { StoppedTriggers } from "./stopped_triggers.ts";

/** The shared values of the triggers. The ports of each kind extend TriggerContext instead of repeating its fields. */
export interface TriggerContext extends Pick<Context, "clock" | "log"> {
  events: EventBus;
  stops: StoppedTriggers;
  start: StartRun;
  /** Returns the current version of an agent, or undefined if it was removed. */
  findAgent(id: string): Agent | undefined;
  findHoldReason: FindHoldReason;
  /** Returns true when triggers are paused. */
  isPaused: () => Promise<boolean>;
  /** True when several machines share the database. */
  isShared: boolean;
}
