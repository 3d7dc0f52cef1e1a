// Recognizes the names of .env files, which agents must not read or write.
import { foldName } from "./folded_name.ts";

/** Returns true if a file or folder name (one segment of a path) matches `.env*`, in any letter case. */
export function isEnvFileName(name: string): boolean {
  // Folding never turns these first characters into a dot. Most names begin with one, and folding them takes long.
  if (/^[\w-]/.test(name)) return false;
  return foldName(name).startsWith(".env");
}
