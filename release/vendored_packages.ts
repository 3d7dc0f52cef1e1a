// The npm packages of the program, exactly as in deno.lock.
import { join } from "node:path";
import { lastOutput, runCommand } from "./command.ts";
import { writeJson } from "./folder.ts";

/** The packages to install. */
export interface PackageList {
  /** As in deno.json: `{"zod": "npm:zod@4.6.7"}`. */
  imports: Record<string, string>;
  /** The lock file with their dependencies and checksums. */
  lock: string;
}

/** Installs packages into the `node_modules` of a folder, verified against the lock file. Throws Error. */
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
