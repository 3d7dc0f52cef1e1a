// Whether a folder is one that agents may write, for warnings about what programs find there.
import type { Agent } from "../agents/agent.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import { PathSandbox } from "../tools/files/path_sandbox.ts";
import { ToolFailure } from "../tools/tool_failure.ts";

/** Whether this agent may write into an absolute folder, or one may that declares no paths and so has the workspace. */
export async function isOpenFolder(
  folder: string,
  { paths }: Pick<Agent, "paths">,
  { directories, home }: Pick<WorkspaceSettings, "directories" | "home">,
): Promise<boolean> {
  for (const reach of [[], paths]) {
    const sandbox = new PathSandbox({ ...directories, paths: reach, home });
    try {
      await sandbox.resolve(folder, "write");
      return true;
    } catch (error) {
      // The refusal is the answer.
      if (!(error instanceof ToolFailure)) throw error;
    }
  }
  return false;
}
