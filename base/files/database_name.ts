// Recognizes the names of database files, which agents must not write.
import { foldName } from "./folded_name.ts";

/** Returns true if a file or folder name (one segment of a path) matches `*.db*` or `*.sqlite*`, in any letter case. */
export function isDatabaseName(name: string): boolean {
  const folded = foldName(name);
  return folded.includes(".db") || folded.includes(".sqlite");
}
