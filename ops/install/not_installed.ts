// Why something is not added.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { isFileFailure, unreadableReason } from "../../base/files/unreadable.ts";
import { ToolFailure } from "../../runtime/tools/tool_failure.ts";

/** A skill or a server is not added; the message says why. Nothing has changed then. */
export class NotInstalled extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";
}

/** What files and folders fail for, as NotInstalled. */
export async function orNotInstalled<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotInstalled) throw error;
    if (error instanceof ToolFailure) throw new NotInstalled(error.message, { cause: error });
    if (error instanceof Deno.errors.NotFound) {
      throw new NotInstalled("It is not there: no such folder", { cause: error });
    }
    if (!isFileFailure(error)) throw error;
    throw new NotInstalled(`It cannot be read or written: ${unreadableReason(error)}`, {
      cause: error,
    });
  }
}
