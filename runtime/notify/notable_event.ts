// Declares the events that may cause a message, and selects the kind of message for an end.
import type { NotifyKind } from "../config/notify_schema.ts";
import type { Execution } from "../executions/execution.ts";
import type { HumanRequest } from "../executions/human_request.ts";
import { type EndCode, endCodeOf } from "../vocabulary/end_reason.ts";
import type { TriggerStop } from "../events/bus.ts";
import type { Slot } from "../triggers/schedule/slot_store.ts";

/** An event that may cause a message. */
export type NotableEvent =
  | { type: "waiting"; execution: Execution; request: HumanRequest }
  | { type: "ended"; execution: Execution; output: string | null }
  | { type: "missed"; slot: Slot }
  /** The trigger of an agent was stopped. */
  | {
    type: "stopped";
    agentId: string;
    displayName: string;
    reason: string;
    stop?: Pick<TriggerStop, "by">;
  }
  /**
   * A budget is nearly or completely used up. `text` contains the details. `agentId` is null for the budget of the whole
   * workspace.
   */
  | { type: "budget"; agentId: string | null; executionId: number | null; text: string }
  /** A mail account cannot be reached since a time. `reason` says what to do. */
  | { type: "account"; account: string; since: number; reason: string };

/**
 * The kinds of messages about aborted runs, by the code of the abort. Undefined: no message, because a person caused the
 * abort. A code that is missing here counts as an error.
 */
const KINDS_OF_ABORTS: Partial<Record<EndCode, NotifyKind | undefined>> = {
  cancelled: undefined,
  parent_ended: undefined,
  conversation_purged: undefined,
  awaited_purged: undefined,
  loop_detected: "loop",
  budget: "budget",
};

/**
 * Returns the kind of message about the end of a run. Returns undefined if a person caused the end. A run that was ended by
 * a limit or a stop of the service counts as an error, because it did not finish its task.
 */
export function kindOfEnd(execution: Execution): NotifyKind | undefined {
  switch (execution.status) {
    case "success":
      return "success";
    case "error":
    case "timeout":
    case "orphaned":
      return "error";
    case "aborted": {
      const code = endCodeOf(execution);
      return code !== undefined && code in KINDS_OF_ABORTS ? KINDS_OF_ABORTS[code] : "error";
    }
    default:
      return undefined;
  }
}
