// Whether one path lies in another, as this platform compares names. Who asks at every event of the file system, with paths
// in one spelling, uses files/path_below.ts.
import { isAbsolute, relative, sep } from "node:path";
import { foldPath } from "./path_names.ts";

/** Whether a path is a folder or lies anywhere in it. Both absolute; letter case counts where the platform's does. */
export function isWithin(path: string, folder: string): boolean {
  const rest = relative(foldPath(folder), foldPath(path));
  return rest === "" || (rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
}
