// Finds the files of custom tools, and detects their changes.
import { readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { stampFile } from "../../config/files/file_stamp.ts";
import { errorCode } from "../../../base/error_code.ts";
import type { ToolModule } from "./host_messages.ts";

const EXTENSIONS = ["ts", "js"] as const;
const OTHER_LANGUAGES: readonly string[] = ["py", "sh", "rb", "pl", "php", "lua", "go", "rs"];
/** Letters, digits, spaces, dots, hyphens and underscores, without a leading dot, so that no path matches. */
const MODULE_NAME = /^[\p{L}\p{N}_-][\p{L}\p{N}\p{M} ._-]*$/u;
const MAX_STAMPED_FILES = 2_000;

/** The file of a custom tool. */
export interface ToolFile {
  /** The name in agents' files. */
  module: string;
  /** The real path. */
  path: string;
  /** True if it is loaded by an unchecked module loader, without a sandbox around it. */
  isLoaderOpen?: boolean;
}

/** Returns the module description for the worker. */
export function toToolModule({ module, path, isLoaderOpen }: ToolFile): ToolModule {
  return { url: pathToFileURL(path).href, stem: module, closesLoader: isLoaderOpen === true };
}

/** Finds the file of a module's name. Returns the file, or the end of a sentence that says why there is none. */
export async function findToolFile(
  module: string,
  toolsDir: string,
): Promise<ToolFile | { problem: string }> {
  if (!MODULE_NAME.test(module)) {
    return { problem: "this is not the name of a file in the tools folder" };
  }
  const names = EXTENSIONS.map((extension) => `${module}.${extension}`);
  try {
    for (const name of names) {
      const path = await realPathOrMissing(join(toolsDir, name));
      if (path === undefined) continue;
      // A tool may read its own folder; a link out of it would move that permission.
      if (dirname(path) === await realpath(toolsDir)) return { module, path };
      return { problem: `${name} is a symbolic link that points out of the tools folder` };
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return { problem: `${join(toolsDir, module)} cannot be read (${code})` };
  }
  const missing = `there is no ${names.join(" and no ")} in ${toolsDir}`;
  const other = await findOtherLanguage(module, toolsDir);
  if (other === undefined) return { problem: missing };
  return {
    problem: `${missing}, only ${other}: tools are written in TypeScript or JavaScript, ` +
      "a script in another language belongs in a skill (skills/<name>/scripts)",
  };
}

/** Returns a file with the module's name in another language, which cannot be a tool. */
async function findOtherLanguage(module: string, toolsDir: string): Promise<string | undefined> {
  // A missing folder adds nothing to the message.
  const names = await readdir(toolsDir).catch(() => []);
  // The name may include its extension.
  return names.find((name) =>
    OTHER_LANGUAGES.some((ending) => name === `${module}.${ending}`) ||
    name === module && OTHER_LANGUAGES.includes(module.split(".").at(-1) ?? "")
  );
}

/**
 * Returns a text that stays the same while no file of the folder changes; a tool's imports are in the folder, too. Returns
 * undefined while a file is so new that another change could go unnoticed, and for too many files.
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
    // A symlink to nothing or to itself, or a file that is gone since the listing.
    const { NotFound, FilesystemLoop } = Deno.errors;
    if (error instanceof NotFound || error instanceof FilesystemLoop) return "missing";
    throw error;
  }
}

async function realPathOrMissing(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
