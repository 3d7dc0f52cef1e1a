// Which of an agent's tools wait for a person's consent.
import { isEveryTool } from "../tool_names.ts";
import type { Agent } from "./agent.ts";

/**
 * Whether a call of this tool waits: a guard by one of its other names holds, unless it is freed by the one that it has.
 * A question to a person is not such a call: it is asked in any case.
 */
export function isGuarded(
  { confirmTools, freedGuards, autoApprove }: Pick<
    Agent,
    "confirmTools" | "freedGuards" | "autoApprove"
  >,
  { name, otherNames = [] }: { name: string; otherNames?: readonly string[] },
): boolean {
  if (confirmTools.includes(name)) return true;
  if (autoApprove.includes(name)) return false;
  return confirmTools.some((one) => isEveryTool(one) || otherNames.includes(one)) ||
    freedGuards.some((one) => otherNames.includes(one));
}
