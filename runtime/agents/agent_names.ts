// The files of an agents folder by their names alone: nothing is opened.
import { idOfFileName, isAgentFileName, isMisnamedAgentFile } from "./agent_id.ts";

/**
 * The names of the files that are meant to be agents, also of misnamed ones (see isMisnamedAgentFile), in code-unit order:
 * the same on every machine. None where there is no such folder; rejects as Deno.readDir does for one that cannot be read.
 */
export async function listAgentFiles(agentsDir: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(agentsDir)) {
      if (isDirectory) continue;
      if (isAgentFileName(name) || isMisnamedAgentFile(name)) names.push(name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names.sort();
}

/** The ids of the files that are agents', in order: for a caller that must be quick and needs no more. */
export async function listAgentNames(agentsDir: string): Promise<string[]> {
  return (await listAgentFiles(agentsDir)).filter(isAgentFileName).map(idOfFileName).sort();
}
