// Warns about agents that start without a person but have tools that wait for approval.
import { diagnose, type DiagnosedFile } from "../../runtime/config/files/diagnosed_file.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { isEveryTool } from "../../runtime/vocabulary/tool_vocabulary.ts";
import type { Agent } from "../../runtime/agents/agent.ts";

type Guarded = Pick<
  Agent,
  "enabled" | "trigger" | "after" | "confirmTools" | "autoApprove" | "mcpConfirm" | "mcp" | "shell"
>;

/**
 * Returns the tools that wait for approval in an agent that starts without a person, as `confirm` names them: tools,
 * `server/*`, `*`. Empty for an agent that only a person starts.
 */
export function unattendedGuards(
  { enabled, trigger, after, confirmTools, autoApprove, mcpConfirm, mcp, shell }: Guarded,
  knownTools: readonly string[],
): string[] {
  const firesByItself = enabled && (trigger.type !== "manual" || after.length > 0);
  if (!firesByItself || autoApprove === "*") return [];
  if (confirmTools.some(isEveryTool)) return ["*"];
  const servers = mcpConfirm === "none" ? [] : mcp.map((server) => `${server}/*`);
  // An author who lists commands in `allow` knows that the others wait.
  const asksForAll = shell?.allow.length === 0 && !autoApprove.includes("shell");
  return [
    ...(asksForAll ? ["shell"] : []),
    ...confirmTools.filter((name) =>
      !(asksForAll && name === "shell") && knownTools.includes(name)
    ),
    ...servers.filter((guard) => !autoApprove.includes(guard)),
  ];
}

/** Joins the guards to a list for a sentence. */
function listGuards(guards: readonly string[]): string {
  const words = guards.map((guard) =>
    guard === "*" ? "every tool" : guard.endsWith("/*") ? `tools of ${guard.slice(0, -2)}` : guard
  );
  const last = words.pop() ?? "";
  return words.length === 0 ? last : `${words.join(", ")} and ${last}`;
}

/**
 * Warns if an agent that starts without a person has tools that wait for approval. Does not warn if the file lists these
 * tools in `confirm`, or sets `on_pending` or `confirm_timeout`.
 */
export function diagnoseUnattended(
  agent: Guarded,
  file: DiagnosedFile,
  { knownTools }: { knownTools: readonly string[] },
): Diagnostic[] {
  const { confirm, on_pending: onPending, confirm_timeout: timeout } = file.document.value;
  if (onPending != null || timeout != null) return [];
  const meant: readonly unknown[] = Array.isArray(confirm) ? confirm : [];
  if (meant.some((one) => typeof one === "string" && isEveryTool(one))) return [];
  const guards = unattendedGuards(agent, knownTools).filter((guard) => !meant.includes(guard));
  if (guards.length === 0) return [];
  const list = guards.map((guard) => guard === "*" ? '"*"' : guard).join(", ");
  const place = agent.trigger.type === "manual" ? ["after"] : ["trigger", "type"];
  return [diagnose(file, place, {
    severity: "warning",
    message: `This agent starts by itself, but ${listGuards(guards)} will wait for a person`,
    hint: `auto_approve: [${list}] lets them run; confirm: [${list}] lets them wait`,
  })];
}
