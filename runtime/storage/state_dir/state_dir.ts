// The state directory of a service: made private, or refused with what to do about it.
import { unreadableReason } from "../../../base/files/unreadable.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../../base/errors.ts";

/** The state directory cannot be made, or is not ours to use. */
export class StateDirUnusable extends RuntimeError {
  readonly code: RuntimeErrorCode = "storage";

  constructor(stateDir: string, error: unknown) {
    const reason = error instanceof Deno.errors.AlreadyExists ||
        error instanceof Deno.errors.NotADirectory
      ? "a file stands in its place"
      : unreadableReason(error);
    super(`Cannot use the state directory ${stateDir}: ${reason}`, {
      cause: error,
      remedy: "Set INKLING_STATE_DIR to a folder that you may write to",
    });
  }
}

/** Makes the state directory where it is missing; only its owner may look inside. Throws StateDirUnusable. */
export async function makeStateDir(stateDir: string): Promise<void> {
  try {
    await Deno.mkdir(stateDir, { recursive: true, mode: 0o700 });
    await Deno.chmod(stateDir, 0o700);
  } catch (error) {
    throw new StateDirUnusable(stateDir, error);
  }
}
