// Checks if a path exists, without reading it.
import { errorCode } from "../../../base/error_code.ts";
import { isMissing } from "../../../base/files/missing.ts";

/** Returns true for the error of a path that does not exist, or cannot exist because it is too long. */
export function isAbsent(error: unknown): boolean {
  return isMissing(error) || errorCode(error) === "ENAMETOOLONG";
}

/** Returns true if something exists at a path, or if that cannot be checked. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) return true;
    if (isAbsent(error)) return false;
    throw error;
  }
}
