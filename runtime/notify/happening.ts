// What may be worth a message, and which kind of message each is.
import type { NotifyKind } from "../config/notify_schema.ts";
import type { Execution } from "../executions/execution.ts";
import type { HumanRequest } from "../executions/human_request.ts";
import { FORSAKEN } from "../executions/runs/runs.ts";
import { CANCELLED } from "../executions/states.ts";
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

/**
 * The kind of message that an end is worth; undefined for one that a person brought about. A run that a limit ended, or a
 * stop of the service, did not do what it was to do: that is an error to whoever counts on it.
 */
export function kindOfEnd({ status, error }: Execution): NotifyKind | undefined {
  switch (status) {
    case "success":
      return "success";
    case "error":
    case "timeout":
    case "orphaned":
      return "error";
    case "aborted":
      if (error === CANCELLED || error === FORSAKEN || error?.endsWith("was purged")) {
        return undefined;
      }
      if (error?.startsWith("Aborted: loop_detected")) return "loop";
      return error?.startsWith("Aborted: budget") ? "budget" : "error";
    default:
      return undefined;
  }
}
