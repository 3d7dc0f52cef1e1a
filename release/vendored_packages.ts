// Installs the npm packages of the program, exactly as in deno.lock.
import { join } from "node:path";
import { lastOutput, runCommand } from "./command.ts";
import { writeJson } from "./folder.ts";

/** The packages to install. */
export interface PackageList {
  /** The imports of deno.json: `{"zod": "npm:zod@4.6.7"}`. */
  imports: Record<string, string>;
  /** The path of the lock file, which contains dependencies and checksums. */
  lock: string;
}

/**
 * Installs packages into the `node_modules` of a folder and verifies them against the lock file. Throws Error if a package
 * is unavailable or differs.
 */
export async function vendorPackages(directory: string, list: PackageList): Promise<void> {
  const { lock, ...settings } = list;
  const [config, lockCopy] = [join(directory, "deno.json"), join(directory, "deno.lock")];
  await writeJson(config, { nodeModulesDir: "manual", ...settings });
  await Deno.copyFile(lock, lockCopy);
  const command = [
    Deno.execPath(),
    "install",
    "--prod",
    "--frozen",
    "--node-modules-linker=hoisted",
  ];
  const result = await runCommand(command, { cwd: directory });
  if (!result.success) throw new Error(`The packages cannot be installed: ${lastOutput(result)}`);
  await Deno.remove(lockCopy);
  await Deno.remove(config);
}
