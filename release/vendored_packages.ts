// The npm packages that the program is made with: exactly those of deno.lock.
import { join } from "node:path";
import { lastWords, runCommand } from "./command.ts";
import { writeJson } from "./folder.ts";

/** Which packages. */
export interface PackageList {
  /** As deno.json has them: `{"zod": "npm:zod@4.6.7"}`. */
  imports: Record<string, string>;
  /** The lock file that names what they need in turn, and their checksums. */
  lock: string;
}

/** Puts packages into the `node_modules` of a folder, verified against the lock file. Throws Error. */
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
  if (!result.success) throw new Error(`The packages cannot be installed: ${lastWords(result)}`);
  await Deno.remove(lockCopy);
  await Deno.remove(config);
}
