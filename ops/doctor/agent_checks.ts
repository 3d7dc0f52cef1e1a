// What is wrong with agents and what they name: what `validate` finds, one line for what several agents share; and whether
// their files can be reached.
import type { Agent } from "../../runtime/agents/agent.ts";
import {
  CHANNEL_REMEDY,
  describeMissingChannel,
} from "../../runtime/agents/validation/validate_unattended.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { exists } from "../../runtime/config/files/exists.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { PATHS } from "../../base/plain_path.ts";
import type { ValidatedFile } from "../authoring/workspace_validation.ts";
import type { Finding } from "./finding.ts";
import type { Machine } from "./machine.ts";

const { basename } = PATHS;

/** So many agents are named; the others are counted. */
const NAMED = 3;

/** The findings about config.yaml, a key file, a price file or an agent that one of its diagnostics makes. */
export function toFinding(
  { severity, message, hint, path, line }: Diagnostic,
  subject = basename(path),
): Finding {
  const place = line > 1 ? `${path}, line ${line}` : path;
  return { severity, subject, problem: message, remedy: hint ?? `mend it in ${place}` };
}

/** All that `validate` finds; what it finds of several agents in the same words is one finding. */
export function findInFiles(files: readonly ValidatedFile[]): Finding[] {
  const found = files.flatMap(({ agentId, path, diagnostics }) =>
    diagnostics.map((one) => toFinding(one, path === one.path ? agentId : basename(one.path)))
  );
  // The place in the file stands in the remedy only where there is no hint: so the same words are the same thing.
  const groups = Map.groupBy(found, (one) => [one.severity, one.problem, one.remedy].join("\n"));
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const subjects = [...new Set([first, ...others].map(({ subject }) => subject))];
    const more = subjects.length - NAMED;
    const subject = subjects.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
    return [{ ...first, subject }];
  });
}

/** Paths of an agent that are there, and that this user may not use. */
export async function checkReach(
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
      remedy: `chmod u+${mode} ${path}, as its owner, or leave it out of the agent's paths`,
    });
  }
  return found;
}

/** Whether a message tells anybody of agents that fire by themselves. */
export function checkTold(
  agents: readonly Agent[],
  { config }: Pick<WorkspaceSettings, "config">,
): Finding[] {
  const problem = describeMissingChannel(agents, config);
  if (problem === undefined) return [];
  return [{ severity: "warning", subject: "unattended", problem, remedy: CHANNEL_REMEDY }];
}

/** Folders that Inkling itself must be able to use. */
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
      remedy: `chmod u+w ${path}, as its owner`,
    });
  }
  return found;
}
