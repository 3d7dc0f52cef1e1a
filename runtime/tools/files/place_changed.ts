// What becomes of an operation whose place in the file system was swapped between the check of a path and its use: it
// starts over, and fails when that does not help.
import { toFileFailure } from "./file_failure.ts";
import { ToolFailure } from "../tool_failure.ts";

/** How often an operation starts over when its file was replaced meanwhile (an editor saving, for one). */
const ATTEMPTS = 3;

/** A folder or file is no longer where it was checked to be. */
export class PlaceChanged extends Error {
  override readonly name: string = "PlaceChanged";
}

/** A folder that cannot be held changes so often that one waited for nothing: to start over does not help. */
export class PlaceUnsettled extends PlaceChanged {
  override readonly name = "PlaceUnsettled";
}

/**
 * Does something with the file that `text` names, the check of its path included, and does all of it again when it ends
 * with PlaceChanged. Throws ToolFailure, `Cannot ${action} "${text}": ...`, when that comes each time, and for what the file
 * system reports; other errors pass through.
 */
export async function retryIfPlaceChanged<T>(
  { action, text }: { action: string; text: string },
  work: () => Promise<T>,
): Promise<T> {
  for (let count = 1;; count++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PlaceChanged)) throw toFileFailure(error, action, text);
      if (count < ATTEMPTS && !(error instanceof PlaceUnsettled)) continue;
      throw new ToolFailure(
        `Cannot ${action} "${text}": its place in the file system changed meanwhile. Look again and retry.`,
        { cause: error },
      );
    }
  }
}
