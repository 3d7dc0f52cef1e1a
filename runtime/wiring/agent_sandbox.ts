// Opens the path sandbox of an execution, with its agent's paths and the watched paths of the agent's trigger.
import type { Agent } from "../agents/agent.ts";
import { readWatchPaths } from "../agents/watch_path.ts";
import type { RunCause } from "../vocabulary/run_cause.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import { PathSandbox, type PathSandboxOptions } from "../tools/files/path_sandbox.ts";
import type { OwnWrites, Writer } from "../triggers/watch/own_writes.ts";
import { createWatchFilter } from "../triggers/watch/watched_paths.ts";

/**
 * Opens the sandbox of an execution of this agent. `lineage` has the execution and its ancestors, beginning with the execution.
 * Files that it writes start none of their agents. Absent if it writes no files.
 */
export function openAgentSandbox(
  agent: Agent,
  { lineage = [], cause }: { lineage?: readonly Writer[]; cause?: RunCause },
  context: { settings: WorkspaceSettings; ownWrites?: OwnWrites },
): PathSandbox {
  const { directories, home } = context.settings;
  return new PathSandbox({
    ...directories,
    paths: agent.paths,
    needsPaths: agent.editorPaths !== undefined,
    home,
    onWrite: (write) => context.ownWrites?.record(lineage, write),
    ...watchedBy(agent, { directories, home, cause }),
  });
}

/** Returns the paths that an agent may read because its trigger watches them. */
function watchedBy(
  { trigger }: Agent,
  { cause, ...base }: Parameters<typeof readWatchPaths>[1] & { cause: RunCause | undefined },
): Pick<PathSandboxOptions, "extraReadPaths" | "readableFiles"> {
  if (trigger.type !== "watch") return {};
  const changed = cause?.type === "watch" ? [cause.path] : [];
  const paths = trigger.paths.flatMap((path) => readWatchPaths(path, base));
  const globs = paths.flatMap(({ base, glob }) => glob === undefined ? [] : [{ base, glob }]);
  const readableFiles = globs.map(({ base: folder, glob }) => {
    const isWatched = createWatchFilter(glob, trigger.filters);
    return { folder, matches: (relative: string) => isWatched(relative, "file") };
  });
  const whole = paths.flatMap(({ base, glob }) => glob === undefined ? [base] : []);
  return { extraReadPaths: [...whole, ...changed], readableFiles };
}
