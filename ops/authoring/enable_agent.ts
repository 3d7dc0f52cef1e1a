// The operation behind `inkling enable`: removes `enabled: false` from an agent's file.
import { join } from "../../base/plain_path.ts";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { readAgentFile } from "../../runtime/agents/agent_file.ts";
import { editEnabled, EnabledNotWritten } from "../../runtime/agents/enabled_edit.ts";
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
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(content.bytes);
  try {
    const edited = editEnabled({ path, text }, true, settings);
    if (edited === undefined) return { path, changed: false };
    await writeFileAtomically(path, edited);
    return { path, changed: true };
  } catch (error) {
    if (error instanceof EnabledNotWritten) throw refuse(error.message);
    throw error;
  }
}
