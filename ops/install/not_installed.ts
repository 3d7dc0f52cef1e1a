// The error for a skill or server that cannot be installed.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { isFileFailure, unreadableReason } from "../../base/files/unreadable.ts";
import { ToolFailure } from "../../runtime/tools/failures/tool_failure.ts";

/** A skill or server was not installed, for the reason in the message. Nothing has changed. */
export class NotInstalled extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";
}

/** A person named a thing that does not exist: the source of an installation, a server or a mail account. */
export class Misnamed extends NotInstalled {
  override readonly code = "not_found";
}

/** Runs `work`. Throws NotInstalled instead of a file system error. `source` is named if it does not exist. */
export async function refuseFileErrors<T>(work: () => Promise<T>, source?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotInstalled) throw error;
    if (error instanceof ToolFailure) throw new NotInstalled(error.message, { cause: error });
    if (error instanceof Deno.errors.NotFound) {
      const message = `${source ?? "It"} does not exist: no such file or folder`;
      throw new (source === undefined ? NotInstalled : Misnamed)(message, { cause: error });
    }
    if (!isFileFailure(error)) throw error;
    throw new NotInstalled(`It cannot be read or written: ${unreadableReason(error)}`, {
      cause: error,
    });
  }
}
