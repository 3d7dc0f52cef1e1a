// Checks the rights of senders.
import type { Caller } from "../../runtime/vocabulary/callers.ts";
import { hasRight, type Right, RIGHTS, rolesWith } from "../../runtime/vocabulary/rights.ts";
import { RequestRefused } from "../errors.ts";

/** Throws RequestRefused (403) with the right's name, and the roles that have it, unless the sender has the right. */
export function requireRight({ caller }: { caller: Caller }, right: Right): void {
  if (hasRight(caller, right)) return;
  const { role = "admin" } = caller;
  const reason = hasRight({ role }, right)
    ? "A key for some agents does not have it"
    : `Your role is ${role}`;
  throw new RequestRefused(
    403,
    `This needs the right "${right}" (${RIGHTS[right].meaning}), which the roles ` +
      `${rolesWith(right).join(", ")} have. ${reason}`,
  );
}
