// The operation behind `inkling enable`: removes `enabled: false` from an agent's file.
import { isDeepStrictEqual } from "node:util";
import { join } from "../../base/plain_path.ts";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { readAgentFile } from "../../runtime/agents/agent_file.ts";
import { parseAgent } from "../../runtime/agents/parse_agent.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { AgentNotSaved } from "./agent_author.ts";

/**
 * Removes `enabled: false` from the file of an agent. Every other character stays. Returns the file's path, and false in
 * `changed` if the agent was enabled. Returns undefined for an unknown agent. Throws AgentNotSaved if the file is broken.
 */
export async function enableAgent(
  id: string,
  settings: WorkspaceSettings,
): Promise<{ path: string; changed: boolean } | undefined> {
  const path = join(settings.directories.agentsDir, `${id}.md`);
  const content = await readAgentFile(path);
  if (content === undefined) return undefined;
  const refuse = (reason: string) =>
    new AgentNotSaved("invalid", `Cannot enable "${id}": ${reason}`);
  if ("diagnostic" in content) throw refuse(formatDiagnostic(content.diagnostic));
  const before = parseAgent({ path, bytes: content.bytes }, settings);
  if ("diagnostics" in before) {
    const error = before.diagnostics.find(({ severity }) => severity === "error");
    throw refuse(error === undefined ? "its file is broken" : formatDiagnostic(error));
  }
  if (before.agent.enabled) return { path, changed: false };
  const text = new TextDecoder().decode(content.bytes);
  const edited = text.replace(/^enabled:[ \t]*false[ \t]*(?:#.*)?\r?\n/m, "");
  const after = parseAgent({ path, bytes: new TextEncoder().encode(edited) }, settings);
  // Positions of warnings change with the removed line.
  const isOnlyChange = "agent" in after &&
    isDeepStrictEqual(
      { ...after.agent, warnings: [] },
      { ...before.agent, enabled: true, warnings: [] },
    );
  if (!isOnlyChange) throw refuse(`write enabled: true into ${path}`);
  await writeFileAtomically(path, edited);
  return { path, changed: true };
}
