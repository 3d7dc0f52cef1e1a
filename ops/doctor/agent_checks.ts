// Checks agents, their resources, and the access to their paths. The same problem of several agents is one finding.
import type { Agent } from "../../runtime/agents/agent.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { exists } from "../../runtime/config/files/exists.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { basename } from "../../base/plain_path.ts";
import type { ValidatedFile } from "../authoring/workspace_validation.ts";
import type { Finding } from "./finding.ts";
import type { Machine } from "./machine.ts";

/** The maximum number of agents that a finding names. Further agents are counted. */
const MAX_NAMED_AGENTS = 3;

/** Returns the finding for a diagnostic of config.yaml, a key file, a price file or an agent. */
export function toFinding(
  { severity, message, hint, path, line, code }: Diagnostic,
  subject = basename(path),
): Finding {
  const place = line > 1 ? `${path}, line ${line}` : path;
  const remedy = hint ?? `fix it in ${place}`;
  return { severity, subject, problem: message, remedy, ...(code && { code }) };
}

/** Converts the diagnostics of `validate` to findings. Equal findings of several agents become one finding. */
export function toFileFindings(files: readonly ValidatedFile[]): Finding[] {
  const found = files.flatMap(({ agentId, path, diagnostics }) =>
    diagnostics.map((one) => toFinding(one, path === one.path ? agentId : basename(one.path)))
  );
  // Findings with equal texts are merged. Without a hint, the remedy names the file, so findings without a hint in
  // different files stay separate.
  const groups = Map.groupBy(found, (one) => [one.severity, one.problem, one.remedy].join("\n"));
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const subjects = [...new Set([first, ...others].map(({ subject }) => subject))];
    const more = subjects.length - MAX_NAMED_AGENTS;
    const subject = subjects.slice(0, MAX_NAMED_AGENTS).join(", ") +
      (more > 0 ? ` and ${more} more` : "");
    return [{ ...first, subject }];
  });
}

/** Reports the agent's existing paths that the current user may not read or write. */
export async function checkPathAccess(
  { id, paths }: Pick<Agent, "id" | "paths">,
  { mayAccess }: Machine,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { alias, path } of paths) {
    if (!await exists(path)) continue;
    const mode = mayAccess(path, "read") ? mayAccess(path, "write") ? "" : "w" : "r";
    if (mode === "") continue;
    found.push({
      severity: mode === "r" ? "error" : "warning",
      subject: id,
      problem: `You may not ${mode === "r" ? "read" : "write to"} the path of {${alias}}: ${path}`,
      remedy: `chmod u+${mode} ${path} as the owner, or remove the path from the agent's file`,
    });
  }
  return found;
}

/** Reports the workspace or agents folder if Inkling may not write to it. */
export async function checkFolders(
  { directories: { workspace, agentsDir } }: WorkspaceSettings,
  { mayAccess }: Machine,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const [subject, path] of [["workspace", workspace], ["agents", agentsDir]] as const) {
    if (!await exists(path) || mayAccess(path, "write")) continue;
    found.push({
      severity: "error",
      subject,
      problem: `You may not write to the ${subject} folder: ${path}`,
      remedy: `chmod u+w ${path} as the owner`,
    });
  }
  return found;
}
