// The files of an agents folder by their names alone: nothing is opened.
import { join } from "node:path";
import { idOfFileName, isAgentFileName, isMisnamedAgentFile } from "./agent_id.ts";

/**
 * The names of the files that are meant to be agents, in code-unit order: the same on every machine. Those of misnamed ones
 * (see isMisnamedAgentFile) are among them, and subfolders with Markdown files as `name/`. None where there is no such folder; rejects as Deno.readDir does for one that cannot be read.
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
    // A folder that cannot be read holds no agents that anybody misses here.
  }
  return false;
}

/** The ids of the files that are agents', in order: for a caller that must be quick and needs no more. */
export async function listAgentNames(agentsDir: string): Promise<string[]> {
  return (await listAgentFiles(agentsDir)).filter(isAgentFileName).map(idOfFileName).sort();
}
