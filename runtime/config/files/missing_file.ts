// Whether a file that was not there is still missing, found out without the cost of an error: by the folder above it.
import { stampFile } from "./file_stamp.ts";
import { PATHS } from "../../../base/plain_path.ts";

const { dirname } = PATHS;

/** A file that was not there, known by the nearest folder above it that is. */
export interface MissingFile {
  folder: string;
  stamp: string;
}

/** Remembers that a file is missing; undefined where that cannot be found out later without asking for the file itself. */
export function rememberMissing(path: string): MissingFile | undefined {
  for (let missing = path;;) {
    // What a link leads to comes into some other folder.
    if (isLink(missing)) return undefined;
    const folder = dirname(missing);
    try {
      // Young folders have no stamp: the file may have come since somebody asked for it.
      const stamp = stampFile(Deno.statSync(folder));
      return stamp === undefined ? undefined : { folder, stamp };
    } catch (error) {
      // Nothing is known of one that must not be looked at.
      if (!(error instanceof Deno.errors.NotFound) || folder === missing) return undefined;
    }
    missing = folder;
  }
}

/** Whether something stands there after all, which then can only be a link to nothing. */
function isLink(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    // Nothing is known of one that must not be looked at: it counts as a link.
    return !(error instanceof Deno.errors.NotFound);
  }
}

/** Whether nothing came into that folder since; false where it is gone or closed: then ask for the file itself. */
export function isStillMissing({ folder, stamp }: MissingFile): boolean {
  try {
    return stampFile(Deno.statSync(folder)) === stamp;
  } catch {
    // Whatever it is, asking for the file itself will report it.
    return false;
  }
}
