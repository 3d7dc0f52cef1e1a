// Which of an agent's tools wait for a person's consent.
import { isEveryTool } from "../tool_names.ts";
import type { Agent } from "./agent.ts";

/**
 * Whether a call of this tool waits: a guard by one of its other names holds, unless it is freed by the one that it has.
 * A question to a person is no such call: it is asked in any case.
 */
export function isGuarded(
  { confirmTools, autoApprove }: Pick<Agent, "confirmTools" | "autoApprove">,
  { name, otherNames = [] }: { name: string; otherNames?: readonly string[] },
): boolean {
  if (confirmTools.includes(name)) return true;
  // What is freed by name is gone from the names already; from all tools it can only be taken here.
  return confirmTools.some((one) => isEveryTool(one) || otherNames.includes(one)) &&
    !autoApprove.includes(name);
}
