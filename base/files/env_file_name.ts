// The names of .env files, which are closed to agents.
import { foldName } from "./folded_name.ts";

/** Returns true when a file or folder name (one segment of a path) matches `.env*`, in any letter case. */
export function isEnvFileName(name: string): boolean {
  return foldName(name).startsWith(".env");
}
