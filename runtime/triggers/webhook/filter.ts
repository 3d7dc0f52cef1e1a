// Applies the filter of a webhook trigger to a delivery.
import type { WebhookTrigger } from "../../agents/agent.ts";
import { compileGlob } from "../../../base/files/glob.ts";
import type { JsonValue } from "../../../base/json.ts";
import { valueAt } from "../../../base/text/json_pointer.ts";
import type { ReadDelivery } from "./delivery.ts";

/** The maximum length of a value that is matched with a pattern. A longer value must be equal to the filter. */
const MAX_MATCHED_CHARACTERS = 1_000;

/** Returns the reason why a delivery is filtered out, for its sender and the log; undefined if it passes the filter. */
export function findFilterReason(
  { event, value }: Pick<ReadDelivery, "event" | "value">,
  { events, fields }: WebhookTrigger["filter"],
): string | undefined {
  if (events.length > 0 && !events.some((wanted) => isMatch(event ?? "", wanted))) {
    return "the event is none of those in trigger.filter.events";
  }
  const other = Object.entries(fields).find(([pointer, wanted]) =>
    !isMatch(valueAt(value, pointer), wanted)
  );
  return other === undefined ? undefined : `${other[0]} is not what trigger.filter.fields wants`;
}

function isMatch(value: JsonValue | undefined, wanted: JsonValue): boolean {
  if (value === wanted) return true;
  if (typeof value !== "string" || typeof wanted !== "string") return false;
  if (value.length > MAX_MATCHED_CHARACTERS) return false;
  const matches = compileGlob(wanted, { dot: true });
  return typeof matches === "function" && matches(value);
}
