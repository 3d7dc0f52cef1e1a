// Checks for the existence of a path without reading it.
import { isMissing } from "../../../base/files/missing.ts";

/** Returns true when something exists at a path. An inaccessible path counts as existing. */
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
