// The events that may be worth a message, and the kind of message for each.
import type { NotifyKind } from "../config/notify_schema.ts";
import type { Execution } from "../executions/execution.ts";
import type { HumanRequest } from "../executions/human_request.ts";
import { type EndCode, endCodeOf } from "../executions/end_reason.ts";
import type { TriggerStop } from "../events/bus.ts";
import type { Slot } from "../triggers/schedule/slot_store.ts";

/** An event that may be worth a message. */
export type NotableEvent =
  | { type: "waiting"; execution: Execution; request: HumanRequest }
  | { type: "ended"; execution: Execution; output: string | null }
  | { type: "missed"; slot: Slot }
  /** A trigger was stopped. */
  | {
    type: "stopped";
    agentId: string;
    displayName: string;
    reason: string;
    stop?: Pick<TriggerStop, "by">;
  }
  /** A budget is nearly or completely used up; `text` gives the details. Null: the whole workspace's budget. */
  | { type: "budget"; agentId: string | null; executionId: number | null; text: string };

/** The kinds of aborts that are not errors; undefined: a person caused the abort. */
const KINDS_OF_ABORTS: Partial<Record<EndCode, NotifyKind | undefined>> = {
  cancelled: undefined,
  parent_ended: undefined,
  conversation_purged: undefined,
  awaited_purged: undefined,
  loop_detected: "loop",
  budget: "budget",
};

/**
 * Returns the kind of message for an end; undefined for an end that a person caused. A run that a limit or a stop of the
 * service ended counts as an error: it did not do its task.
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
