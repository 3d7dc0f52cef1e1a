// Installs the npm packages of the program, exactly as in deno.lock.
import { join } from "node:path";
import { lastOutput, runCommand } from "./command.ts";
import { writeJson } from "./folder.ts";

/**
 * Installs packages into the `node_modules` of a folder and verifies them against the lock file. `imports` are those of a
 * deno.json, and `lock` is the path of its lock file. Throws Error if a package is unavailable or differs.
 */
export async function vendorPackages(
  directory: string,
  { imports, lock }: { imports: Record<string, string>; lock: string },
): Promise<void> {
  const [config, lockCopy] = [join(directory, "deno.json"), join(directory, "deno.lock")];
  await writeJson(config, { nodeModulesDir: "manual", imports });
  await Deno.copyFile(lock, lockCopy);
  const flags = ["--prod", "--frozen", "--node-modules-linker=hoisted"];
  const result = await runCommand([Deno.execPath(), "install", ...flags], { cwd: directory });
  if (!result.success) throw new Error(`The packages cannot be installed: ${lastOutput(result)}`);
  await Deno.remove(lockCopy);
  await Deno.remove(config);
}
