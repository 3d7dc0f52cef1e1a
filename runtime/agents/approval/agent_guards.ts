// Determines an agent's guards, which are the tools that wait for approval, from its file and config.yaml.
import type { ApprovalRule } from "../../vocabulary/approval_rule.ts";
import { isEveryTool } from "../../vocabulary/tool_vocabulary.ts";

/** Returns the parsed value of `auto_approve`. `"*"` if it frees every tool. */
export function toAutoApprove(
  written: string | readonly string[] | null | undefined,
): string[] | "*" {
  const list = typeof written === "string" ? [written] : written ?? [];
  return list.some(isEveryTool) ? "*" : unique(list);
}

/** Returns the guards that are left after `auto_approve`, and those that it removed. */
export function toGuards(
  names: readonly string[],
  autoApprove: readonly string[] | "*",
): { confirmTools: string[]; freedGuards: string[] } {
  if (autoApprove === "*") return { confirmTools: [], freedGuards: [] };
  if (names.some(isEveryTool)) return { confirmTools: ["*"], freedGuards: [] };
  const guards = unique(names);
  return {
    confirmTools: guards.filter((name) => !autoApprove.includes(name)),
    freedGuards: guards.filter((name) => autoApprove.includes(name)),
  };
}

/** Returns the rule about the people who approve calls, if the file has one. */
export function toApprovalRule(
  { approvers, approvals, exclude_starter: excludesStarter }: {
    approvers?: string[] | null | undefined;
    approvals: number;
    exclude_starter: boolean;
  },
): { approvalRule?: ApprovalRule } {
  if (approvers == null && approvals === 1 && !excludesStarter) return {};
  return {
    approvalRule: {
      ...(approvers != null && { approvers: unique(approvers) }),
      approvals,
      ...(excludesStarter && { excludesStarter }),
    },
  };
}

const unique = (list: readonly string[]): string[] => [...new Set(list)];
