// Checks that a missing file is still missing, from the folder above it and without the cost of an error.
import { stampFile } from "./file_stamp.ts";
import { PATHS } from "../../../base/plain_path.ts";

const { dirname } = PATHS;

/** A missing file, identified by the nearest existing folder above it. */
export interface MissingFile {
  folder: string;
  stamp: string;
}

/** Remembers a missing file; undefined when only a query of the file itself can detect it later. */
export function rememberMissing(path: string): MissingFile | undefined {
  for (let missing = path;;) {
    // The target of a link appears in some other folder.
    if (isLink(missing)) return undefined;
    const folder = dirname(missing);
    try {
      // A folder that changed recently has no stamp, because the file may have been created since the check.
      const stamp = stampFile(Deno.statSync(folder));
      return stamp === undefined ? undefined : { folder, stamp };
    } catch (error) {
      // An inaccessible folder proves nothing.
      if (!(error instanceof Deno.errors.NotFound) || folder === missing) return undefined;
    }
    missing = folder;
  }
}

/** Returns true when a link without a target is there. */
function isLink(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    // An inaccessible path counts as a link.
    return !(error instanceof Deno.errors.NotFound);
  }
}

/** Returns true when the folder is unchanged. False for a changed, missing or closed folder: query the file itself then. */
export function isStillMissing({ folder, stamp }: MissingFile): boolean {
  try {
    return stampFile(Deno.statSync(folder)) === stamp;
  } catch {
    // A query of the file itself will report the error.
    return false;
  }
}
