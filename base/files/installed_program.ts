// Finds out whether a program is installed.
import { resolve } from "../plain_path.ts";
import { isMissing } from "./missing.ts";

/** Returns true if a program is installed, or if that is unknown: without PATH, or with a folder that cannot be read. */
export function isInstalled(
  program: string,
  { path, cwd }: { path: string | undefined; cwd: string },
): boolean {
  const isPath = program.includes("/");
  // Without PATH, the system searches the program in default places, which differ between systems.
  if (path === undefined && !isPath) return true;
  const folders = isPath ? [""] : (path ?? "").split(":");
  return folders.some((folder) => {
    try {
      const { isFile, mode } = Deno.statSync(resolve(cwd, folder, program));
      // A search in PATH continues after a file that is not executable.
      return isFile && (isPath || mode === null || (mode & 0o111) !== 0);
    } catch (error) {
      return !isMissing(error);
    }
  });
}
