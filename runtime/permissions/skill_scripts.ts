// Checks if a skill contains scripts. Only such skills need the permission to start programs.
import { join } from "node:path";
import { isScriptName } from "../tools/skills/script_names.ts";

/** Returns true when the skill's folder contains a script; false for an unreadable skill, which validation reports. */
export async function hasScripts(skillsDir: string, skill: string): Promise<boolean> {
  const folder = join(skillsDir, skill);
  return await holdsScript(folder) || await holdsScript(join(folder, "scripts"), { below: true });
}

async function holdsScript(folder: string, { below = false } = {}): Promise<boolean> {
  try {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (!isDirectory && isScriptName(name)) return true;
      if (isDirectory && below && await holdsScript(join(folder, name), { below })) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    if (error instanceof Deno.errors.NotCapable) return false;
    throw error;
  }
}
