// Which paths must be allowed so that a place can be used: Deno compares names, so a place behind symlinks has two.
import { basename, dirname, extname } from "node:path";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import { isWithin } from "../tools/files/path_within.ts";
import type { PermissionNeed } from "./permission_need.ts";

/** What a place is needed for. */
export interface PlaceUse {
  access: "read" | "write";
  why: string;
  /** The user's home directory: never allowed as a whole for the sake of one file in it. */
  home: string;
}

/** What using a place needs. */
export interface PlaceNeeds {
  needs: PermissionNeed[];
  /** What will not work nevertheless, as sentences. */
  remarks: string[];
}

/**
 * What reading (or reading and writing) a path with all below it needs. A file needs its folder, too: it is replaced by a new
 * one beside it, and changes of it are heard of through its folder.
 */
export function placeNeeds(path: string, use: PlaceUse): PlaceNeeds {
  const real = knownRealPath(path);
  const needs = [path, ...(real === path ? [] : [real])].flatMap((one) => allow(one, use));
  if (!isFile(real)) {
    const remark = `${path} (${use.why}) is allowed with all that is in it, your home included: ` +
      "name narrower paths";
    return { needs, remarks: isWithin(use.home, real) ? [remark] : [] };
  }
  const folder = dirname(real);
  if (isWithin(use.home, folder)) {
    const remark =
      `${path} (${use.why}) can be read, but not be written or watched, because it lies directly in ` +
      `${folder}, which would be allowed as a whole: move it into a folder of its own`;
    return { needs, remarks: [remark] };
  }
  const why = `${use.why}: the folder of ${basename(path)}`;
  return { needs: [...needs, ...allow(folder, { ...use, why })], remarks: [] };
}

function allow(path: string, { access, why }: PlaceUse): PermissionNeed[] {
  const read = { kind: "read" as const, value: path, why };
  return access === "read" ? [read] : [read, { ...read, kind: "write" }];
}

/** A path that leads nowhere yet is a file if its name looks like that of one. */
function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return false;
    return extname(path) !== "";
  }
}
