// Starts the program of a tool in its own process group.
import { describeDenied } from "../../../base/denied_permission.ts";
import {
  type ProcessGroup,
  type ProcessGroupOptions,
  spawnGroup,
  WatchFailure,
} from "../../../base/programs/process_group.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** Starts a tool's program like spawnGroup(). Throws ToolFailure if the program or its watcher cannot be started. */
export function startGroup(program: string, options: ProcessGroupOptions): ProcessGroup {
  try {
    return spawnGroup(program, options);
  } catch (error) {
    const [what, reason] = error instanceof WatchFailure
      ? [`/bin/sh, which watches ${program}`, error.cause]
      : [program, error];
    throw new ToolFailure(`Cannot start ${what}: ${reasonOf(reason)}.`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) {
    return "it is not installed, or its working folder does not exist";
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return "the operating system denies permission to execute it";
  }
  const denied = describeDenied(error);
  if (denied !== undefined) return denied;
  return error instanceof Error ? error.message : String(error);
}
