// Whether a path leads to anything, found out without reading it.
import { isMissing } from "../../../base/files/missing.ts";

/** Whether there is something at a path; a path that may not be looked at counts as there. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) return true;
    if (isMissing(error)) return false;
    throw error;
  }
}
