// One starter of the service at a time: the lock in the state directory, and that directory for it.
import { PATHS } from "../../base/plain_path.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { takeLock } from "../../base/lock_file.ts";

const { resolve } = PATHS;

/**
 * Makes the state directory: the start lock and the log file lie in it, so it is needed before there is a service that
 * would make it. Throws CommandFailure where it cannot be made.
 */
export async function makeStateDir(stateDir: string): Promise<void> {
  try {
    await Deno.mkdir(stateDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw stateDirUnusable(stateDir, { why: "it cannot be made there", cause });
  }
}

/** Takes the lock until disposed; undefined while another starter holds it. Throws CommandFailure. */
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
