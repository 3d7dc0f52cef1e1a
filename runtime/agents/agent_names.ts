// The files of an agents folder by their names alone: nothing is opened.
import { idOfFileName, isAgentFileName } from "./agent_id.ts";

/**
 * The names of the files that are meant to be agents, in code-unit order: the same on every machine. None where there is
 * no such folder; rejects as Deno.readDir does for one that cannot be read.
 */
export async function listAgentFiles(agentsDir: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(agentsDir)) {
      if (!isDirectory && isAgentFileName(name)) names.push(name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names.sort();
}

/** The ids that those files give, in order: for who must be quick and needs no more. */
export async function listAgentNames(agentsDir: string): Promise<string[]> {
  return (await listAgentFiles(agentsDir)).map(idOfFileName).sort();
}
