// What may be worth a message, and which kind of message each is.
import type { NotifyKind } from "../config/notify_schema.ts";
import type { Execution } from "../executions/execution.ts";
import type { HumanRequest } from "../executions/human_request.ts";
import { type EndCode, endCodeOf } from "../executions/end_reason.ts";
import type { TriggerStop } from "../events/bus.ts";
import type { Slot } from "../triggers/schedule/slot_store.ts";

/** Something that happened. */
export type Happening =
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
  /** A budget is nearly or wholly used up; `text` says which and what became of it. Null: the whole workspace's. */
  | { type: "budget"; agentId: string | null; executionId: number | null; text: string };

/** The kinds of aborts that are not errors; undefined: a person brought it about. */
const KINDS_OF_ABORTS: Partial<Record<EndCode, NotifyKind | undefined>> = {
  cancelled: undefined,
  parent_ended: undefined,
  conversation_purged: undefined,
  awaited_purged: undefined,
  loop_detected: "loop",
  budget: "budget",
};

/**
 * The kind of message that an end is worth; undefined for one that a person brought about. A run that a limit ended, or a
 * stop of the service, did not do what it was to do: that is an error to whoever counts on it.
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
