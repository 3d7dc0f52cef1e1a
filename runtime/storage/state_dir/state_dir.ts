// Creates the private state directory of a service.
import { unreadableReason } from "../../../base/files/unreadable.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../../base/errors.ts";

/** Error: the state directory cannot be created or used. */
export class StateDirUnusable extends RuntimeError {
  readonly code: RuntimeErrorCode = "storage";

  constructor(stateDir: string, error: unknown) {
    const reason = error instanceof Deno.errors.AlreadyExists ||
        error instanceof Deno.errors.NotADirectory
      ? "a file is in its place"
      : unreadableReason(error);
    super(`Cannot use the state directory ${stateDir}: ${reason}`, {
      cause: error,
      remedy: "Set INKLING_STATE_DIR to a folder that you may write to",
    });
  }
}

/** Creates the state directory if it is missing, with access for its owner only. Throws StateDirUnusable. */
export async function makeStateDir(stateDir: string): Promise<void> {
  try {
    await Deno.mkdir(stateDir, { recursive: true, mode: 0o700 });
    await Deno.chmod(stateDir, 0o700);
  } catch (error) {
    throw new StateDirUnusable(stateDir, error);
  }
}
