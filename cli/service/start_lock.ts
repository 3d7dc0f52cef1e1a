// The start lock in the state folder, which allows one starter of the service at a time.
import { PATHS } from "../../base/plain_path.ts";
import { CommandFailure, EXIT } from "../context/exit.ts";
import { takeLock } from "../../base/files/lock_file.ts";

const { resolve } = PATHS;

/** Creates the state folder, which the start lock and the log need before the service exists. Throws CommandFailure. */
export async function makeStateDir(stateDir: string): Promise<void> {
  try {
    await Deno.mkdir(stateDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw stateDirUnusable(stateDir, { why: "it cannot be created", cause });
  }
}

/** Acquires the lock until disposed. Returns undefined while another starter holds it. Throws CommandFailure. */
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
