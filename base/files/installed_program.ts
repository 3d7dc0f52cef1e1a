// Finds out whether a program is installed.
import { resolve } from "../plain_path.ts";
import { isMissing } from "./missing.ts";

/** Returns true if a program is installed, or if that is unknown: without PATH, or with a folder that cannot be read. */
export function isInstalled(
  program: string,
  { path, cwd }: { path: string | undefined; cwd: string },
): boolean {
  // Without PATH, the system searches the program in default places, which differ between systems.
  if (path === undefined && !program.includes("/")) return true;
  const folders = program.includes("/") ? [""] : (path ?? "").split(":");
  return folders.some((folder) => {
    try {
      return Deno.statSync(resolve(cwd, folder, program)).isFile;
    } catch (error) {
      return !isMissing(error);
    }
  });
}
