// Checks if a path exists, without reading it.
import { isMissing } from "../../../base/files/missing.ts";

/** Returns true if something exists at a path, or if that cannot be checked. */
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
