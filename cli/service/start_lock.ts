// Implements the start lock, a file in the state folder. Only the process that holds the lock may start the service.
import { resolve } from "../../base/plain_path.ts";
import { CommandFailure, EXIT } from "../context/exit.ts";
import { takeLock } from "../../base/files/lock_file.ts";

/**
 * Creates the state folder if it is missing. The start lock and the log file need the folder before the service runs.
 * Throws CommandFailure if the folder cannot be created.
 */
export async function makeStateDir(stateDir: string): Promise<void> {
  try {
    await Deno.mkdir(stateDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw stateDirUnusable(stateDir, { why: "it cannot be created", cause });
  }
}

/**
 * Acquires the start lock, and releases it when disposed. Returns undefined while another process holds it. Throws
 * CommandFailure if the state folder is not writable.
 */
export function takeStartLock(stateDir: string): Disposable | undefined {
  try {
    return takeLock(resolve(stateDir, "start.lock"));
  } catch (cause) {
    throw stateDirUnusable(stateDir, { why: "nothing can be written to it", cause });
  }
}

function stateDirUnusable(
  stateDir: string,
  { why, cause }: { why: string; cause: unknown },
): CommandFailure {
  return new CommandFailure(
    EXIT.unreachable,
    `Cannot use the state directory ${stateDir}: ${why}. ` +
      "Set INKLING_STATE_DIR to a folder that you may write to",
    { cause },
  );
}
