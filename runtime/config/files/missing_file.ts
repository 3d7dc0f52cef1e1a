// Checks if a missing file is still missing, by the folder above it. That avoids the cost of an error.
import { stampFile } from "./file_stamp.ts";
import { dirname } from "../../../base/plain_path.ts";

/** A missing file, identified by the nearest existing folder above it. */
export interface MissingFile {
  folder: string;
  stamp: string;
}

/** Returns a record of a missing file, or undefined if only a query of the file itself can detect it later. */
export function rememberMissing(path: string): MissingFile | undefined {
  for (let missing = path;;) {
    // The path is a link, whose target may appear in another folder.
    if (isLink(missing)) return undefined;
    const folder = dirname(missing);
    try {
      // A folder that changed recently has no stamp: the file may have been created since it was found missing.
      const stamp = stampFile(Deno.statSync(folder));
      return stamp === undefined ? undefined : { folder, stamp };
    } catch (error) {
      // If the folder cannot be accessed, it is unknown if the file is missing.
      if (!(error instanceof Deno.errors.NotFound) || folder === missing) return undefined;
    }
    missing = folder;
  }
}

/** Returns true if the path is a link whose target is missing, or cannot be checked. */
function isLink(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    // A path that cannot be checked counts as a link.
    return !(error instanceof Deno.errors.NotFound);
  }
}

/**
 * Returns true if the folder is unchanged, so that the file is still missing. Returns false if the folder has changed, is
 * missing, or cannot be checked: the file itself must then be queried.
 */
export function isStillMissing({ folder, stamp }: MissingFile): boolean {
  try {
    return stampFile(Deno.statSync(folder)) === stamp;
  } catch {
    // The query of the file itself reports the error.
    return false;
  }
}
