// Lists the files of an agents folder by name, without opening them.
import { join } from "../../base/plain_path.ts";
import { idOfFileName, isAgentFileName, isMisnamedAgentFile } from "./agent_id.ts";

/**
 * Returns the names of the agent files in code-unit order, which is the same on every machine. Includes misnamed files (see
 * isMisnamedAgentFile), and subfolders with Markdown files as `name/`. Returns an empty list for a missing folder. Rejects
 * as Deno.readDir does for an unreadable folder.
 */
export async function listAgentFiles(agentsDir: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(agentsDir)) {
      if (isDirectory) {
        if (/^[^._]/.test(name) && await hasMarkdown(join(agentsDir, name))) names.push(`${name}/`);
        continue;
      }
      if (isAgentFileName(name) || isMisnamedAgentFile(name)) names.push(name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names.sort();
}

async function hasMarkdown(folder: string): Promise<boolean> {
  try {
    for await (const { name } of Deno.readDir(folder)) if (isAgentFileName(name)) return true;
  } catch {
    // An unreadable subfolder is ignored.
  }
  return false;
}

/** Returns the ids of the agent files in code-unit order. Faster than loading the registry, because no file is opened. */
export async function listAgentNames(agentsDir: string): Promise<string[]> {
  return (await listAgentFiles(agentsDir)).filter(isAgentFileName).map(idOfFileName).sort();
}
