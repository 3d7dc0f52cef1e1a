// Describes the approvals of a question that only some people may answer, or that needs several of them.
import type { PendingBody } from "../api/schemas/request_schemas.ts";
import { toVisibleLine } from "./visible_text.ts";

/** Returns a text such as `1 of 2 approvals, by anna; for bob, admin`. Undefined if anybody may answer. */
export function describeApprovals(
  { approvals, needed, approved_by: by = [], approvers = [] }: Pick<
    PendingBody,
    "approvals" | "needed" | "approved_by" | "approvers"
  >,
): string | undefined {
  if (approvals === undefined || needed === undefined) return undefined;
  const given = `${approvals} of ${needed} approval${needed === 1 ? "" : "s"}`;
  const parts = [given + (by.length === 0 ? "" : `, by ${by.join(", ")}`)];
  if (approvers.length > 0) parts.push(`for ${approvers.join(", ")}`);
  return toVisibleLine(parts.join("; "));
}
