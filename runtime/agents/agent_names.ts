// The agents of a folder by the names of their files alone: for who must be quick and needs no more.
import { idOfFileName, isAgentFileName } from "./agent_id.ts";

/** The ids that the files of an agents folder give, in order; none where there is no such folder. Nothing is parsed. */
export async function listAgentNames(agentsDir: string): Promise<string[]> {
  const ids: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(agentsDir)) {
      if (!isDirectory && isAgentFileName(name)) ids.push(idOfFileName(name));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return ids.sort();
}
