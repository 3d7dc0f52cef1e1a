// Finds the files of custom tools, and detects changes in their folder.
import { readdir, realpath } from "node:fs/promises";
import { dirname, join } from "../../../base/plain_path.ts";
import { pathToFileURL } from "node:url";
import { stampFile } from "../../config/files/file_stamp.ts";
import { errorCode } from "../../../base/error_code.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import { findBuiltinTool } from "../../vocabulary/builtin_tools.ts";
import type { ToolFile } from "./host_messages.ts";

const EXTENSIONS = ["ts", "js"] as const;
const OTHER_LANGUAGES: readonly string[] = ["py", "sh", "rb", "pl", "php", "lua", "go", "rs"];
/**
 * Matches valid names of tool files: letters, digits, spaces, dots, hyphens and underscores, without a dot at the
 * beginning. No path matches.
 */
const MODULE_NAME = /^[\p{L}\p{N}_-][\p{L}\p{N}\p{M} ._-]*$/u;
const MAX_STAMPED_FILES = 2_000;

/** Returns the tool file with this name, or the reason that it cannot be used, as a clause. */
export async function findToolFile(
  module: string,
  toolsDir: string,
): Promise<Omit<ToolFile, "isLoaderOpen"> | { problem: string }> {
  if (!MODULE_NAME.test(module)) {
    return { problem: "this is not the name of a file in the tools folder" };
  }
  const names = EXTENSIONS.map((extension) => `${module}.${extension}`);
  try {
    for (const name of names) {
      const path = await realpath(join(toolsDir, name)).catch(ignoreMissing);
      if (path === undefined) continue;
      // A tool may read the folder of its file, so a symlink out of the tools folder would give access to another folder.
      if (dirname(path) === await realpath(toolsDir)) {
        return { module, path, url: pathToFileURL(path).href };
      }
      return { problem: `${name} is a symbolic link that points out of the tools folder` };
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return { problem: `${join(toolsDir, module)} cannot be read (${code})` };
  }
  const missing = `there is no ${names.join(" and no ")} in ${toolsDir}`;
  const builtin = findBuiltinTool(module);
  if (builtin !== undefined) {
    const owner = builtin.field === undefined
      ? "every agent has"
      : `the field ${builtin.field} adds`;
    return {
      problem: `${missing}. It is a built-in tool, which ${owner}: remove it from this list`,
    };
  }
  const other = await findOtherLanguage(module, toolsDir);
  if (other === undefined) return { problem: missing };
  return {
    problem: `${missing}, only ${other}: tools are written in TypeScript or JavaScript, ` +
      "a script in another language belongs in a skill (skills/<name>/scripts)",
  };
}

/** Returns true if the tools folder has a usable file with this name. */
export async function hasToolFile(module: string, toolsDir: string): Promise<boolean> {
  return !("problem" in await findToolFile(module, toolsDir));
}

/** Returns the name of a file with the module's name in another programming language. Such a file cannot be a tool. */
async function findOtherLanguage(module: string, toolsDir: string): Promise<string | undefined> {
  // If the folder cannot be read, the message is complete without the other file.
  const names = await readdir(toolsDir).catch(() => []);
  // An agent's file may contain the name with its extension.
  return names.find((name) =>
    OTHER_LANGUAGES.some((ending) => name === `${module}.${ending}`) ||
    name === module && OTHER_LANGUAGES.includes(module.split(".").at(-1) ?? "")
  );
}

/**
 * Returns a text that changes when a file of the tools folder changes. The files that a tool imports are in that folder,
 * too. Returns undefined if there are too many files, or one changed so recently that another change might not be detected.
 */
export async function stampTools(toolsDir: string): Promise<string | undefined> {
  const entries = await readdir(toolsDir, { recursive: true, withFileTypes: true });
  if (entries.length > MAX_STAMPED_FILES) return undefined;
  const stamps: string[] = [];
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    const stamp = await stampOf(path);
    if (stamp === undefined) return undefined;
    stamps.push(`${path} ${stamp}`);
  }
  return stamps.sort().join("\n");
}

async function stampOf(path: string): Promise<string | undefined> {
  try {
    return stampFile(await Deno.stat(path));
  } catch (error) {
    // A symlink without a target or to itself, or a file that was deleted after the listing.
    const { NotFound, FilesystemLoop } = Deno.errors;
    if (error instanceof NotFound || error instanceof FilesystemLoop) return "missing";
    throw error;
  }
}
