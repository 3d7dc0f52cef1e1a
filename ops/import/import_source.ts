// Reads the files of an import: from a folder, a file, a repository, or standard input. Nothing outside of the source is
// read, and everything has a limit.
import { isEnvFileName } from "../../base/files/env_file_name.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import type { JsonObject } from "../../base/json.ts";
import { basename, dirname, join, relative } from "../../base/plain_path.ts";
import { isBinary } from "../../base/text/text_content.ts";
import { findEntries } from "../../runtime/tools/mcp/servers_file/server_entries.ts";
import { isWithin } from "../../runtime/tools/files/place.ts";
import type { FetchContext } from "../install/fetch_program.ts";
import { NotInstalled } from "../install/not_installed.ts";
import { fetchSource, parseSkillSource } from "../install/skill_source.ts";
import { findReferences } from "./references.ts";
import { parseFile } from "./reading/front_matter.ts";
import type { ForeignFile } from "./reading/shape.ts";
import { CONTEXT_FILES } from "./shapes/formats.ts";

const MAX_ENTRIES = 20_000;
const MAX_FILES = 2_000;
const MAX_FILE_BYTES = 256 * 1_024;
const MAX_BYTES = 32 * 1_024 * 1_024;
const MAX_DEPTH = 12;
/** The maximum size of a file that a text refers to. */
const MAX_REFERRED_BYTES = 64 * 1_024;

const SKIPPED = [".git", "node_modules", ".venv", "__pycache__"];
const READ = /\.(?:mdc?|ya?ml|toml|json)$/i;
/** Matches the folders in which other tools keep their files. */
const TOOL_FOLDER =
  /^(.*?)\/(?:\.(?:claude|opencode|github|gemini|codex|cursor|agents|goose)|\.config)(?:\/|$)/;

/** The read files of a source. */
export interface ImportSource {
  /** The folder or address, which identifies the source in a later import. */
  origin: string;
  files: Pick<ForeignFile, "path" | "text">[];
  /** The texts of the files, of the files that they refer to, and of the repository's instructions. */
  texts: ReadonlyMap<string, string>;
  /** The skills by name, each with the absolute path of its folder. */
  skills: ReadonlyMap<string, string>;
  /** The entries of the MCP servers of the repository. */
  servers: JsonObject;
  /** The absolute path of the repository. Undefined for a download, and for files of no repository. */
  repository: string | undefined;
}

/**
 * Reads a source; with `input`, the text of standard input. Adds the removal of what it downloads to `resources`. Throws
 * NotInstalled, errors of the file system, or the signal's reason.
 */
export async function readSource(
  written: string,
  context: Omit<FetchContext, "staging"> & {
    home: string;
    cwd: string;
    resources: AsyncDisposableStack;
  },
  input?: string,
): Promise<ImportSource> {
  if (input !== undefined) {
    const none = { texts: new Map(), skills: new Map(), servers: {}, repository: undefined };
    return { ...none, origin: "standard input", files: [{ path: "-", text: input }] };
  }
  const { address, inside } = splitAddress(written);
  const source = parseSkillSource(address, context);
  if (source.kind === "npm") {
    throw new NotInstalled("Agents are imported from files, folders and repositories");
  }
  if (source.kind === "folder") {
    const start = await Deno.realPath(source.path);
    const base = await findBase(start, context.home);
    const isFile = (await Deno.stat(start)).isFile;
    // A file of no repository takes no other files into its text, because its folder may contain private files.
    const reach = base.isRepository ? base.folder : isFile ? undefined : start;
    const read = await new TreeReader(base.folder, reach).read(start);
    const repository = base.isRepository ? base.folder : undefined;
    return { ...read, origin: base.folder, repository };
  }
  const staging = await Deno.makeTempDir({ prefix: "inkling-import-" });
  context.resources.defer(() => Deno.remove(staging, { recursive: true }));
  const { folder } = await fetchSource(source, { ...context, staging });
  const base = await Deno.realPath(folder);
  const start = await Deno.realPath(join(base, inside ?? ""));
  if (!isWithin(start, base)) throw new NotInstalled("The path leads out of the repository");
  const read = await new TreeReader(base, base).read(start);
  return { ...read, origin: source.url, repository: undefined };
}

/** Splits the address of a folder or file on the page of a repository into the repository and the path in it. */
function splitAddress(text: string): { address: string; inside?: string } {
  const [, repository, ref, inside = ""] =
    /^(https:\/\/[^/]+\/[^#]+?)\/(?:-\/)?(?:tree|blob)\/([^/]+)(?:\/(.*))?$/.exec(text) ?? [];
  return repository === undefined ? { address: text } : { address: `${repository}#${ref}`, inside };
}

/** Returns the folder to which the paths of the files are relative. */
async function findBase(
  start: string,
  home: string,
): Promise<{ folder: string; isRepository: boolean }> {
  const owner = TOOL_FOLDER.exec(start)?.[1];
  if (owner !== undefined && owner !== "") return { folder: owner, isRepository: owner !== home };
  const { isDirectory } = await Deno.stat(start);
  const folder = isDirectory ? start : dirname(start);
  for (let above = folder; above !== home && above !== dirname(above); above = dirname(above)) {
    if (await Deno.lstat(join(above, ".git")).catch(ignoreMissing)) {
      return { folder: above, isRepository: true };
    }
  }
  return { folder, isRepository: isDirectory && folder !== home };
}

/** Reads a source within the limits. Paths are relative to its base. */
class TreeReader {
  readonly files: ImportSource["files"] = [];
  readonly texts = new Map<string, string>();
  readonly skills = new Map<string, string>();
  readonly #base: string;
  readonly #reach: string | undefined;
  #entries = 0;
  #bytes = 0;

  constructor(base: string, reach: string | undefined) {
    this.#base = base;
    this.#reach = reach;
  }

  /** Reads the files below `start`, and the files in `reach` that they refer to. */
  async read(start: string): Promise<Pick<ImportSource, "files" | "texts" | "skills" | "servers">> {
    const { files, texts, skills } = this;
    await this.#walk(start);
    for (const path of CONTEXT_FILES) await this.#readReferred(path);
    // The map grows during the loop, so references in added files are read, too.
    for (const [path, text] of texts) {
      for (const reference of findReferences(text, path)) await this.#readReferred(reference);
    }
    const servers: JsonObject = {};
    for (const path of [".vscode/mcp.json", ".mcp.json"]) {
      await this.#readReferred(path);
      // Agents report the servers of a broken file as missing.
      const { fields = {} } = parseFile(path, texts.get(path) ?? "");
      Object.assign(servers, findEntries(fields).entries);
    }
    return { files, texts, skills, servers };
  }

  /** Reads a file, or the files below a folder. */
  async #walk(path: string, depth = 0): Promise<void> {
    if (++this.#entries > MAX_ENTRIES) throw tooMuch(`over ${MAX_ENTRIES} files`);
    const info = await Deno.stat(path);
    if (info.isFile) {
      const text = await this.#readText(path, MAX_FILE_BYTES);
      if (text === undefined) return;
      if (this.files.length === MAX_FILES) throw tooMuch(`over ${MAX_FILES} files of text`);
      const file = { path: relative(this.#base, path), text };
      this.files.push(file);
      this.texts.set(file.path, text);
    }
    if (!info.isDirectory) return;
    if (depth > MAX_DEPTH) throw tooMuch(`folders over ${MAX_DEPTH} deep`);
    const entries = (await Array.fromAsync(Deno.readDir(path)))
      .filter(({ name }) => !SKIPPED.includes(name)).sort((a, b) => a.name < b.name ? -1 : 1);
    if (entries.some(({ name, isFile }) => isFile && name === "SKILL.md")) {
      this.skills.set(basename(path), path);
      return;
    }
    for (const { name, isFile, isSymlink } of entries) {
      const child = join(path, name);
      if (isFile && !READ.test(name) || isSymlink && !await this.#leadsToFileInside(child)) {
        continue;
      }
      await this.#walk(child, depth + 1);
    }
  }

  async #leadsToFileInside(link: string): Promise<boolean> {
    const real = await Deno.realPath(link).catch(() => undefined);
    return real !== undefined && isWithin(real, this.#base) && (await Deno.stat(real)).isFile;
  }

  /** Reads a file that a text refers to, if it is a file of the source and no file of keys. */
  async #readReferred(path: string): Promise<void> {
    if (this.#reach === undefined || this.texts.has(path)) return;
    const real = await Deno.realPath(join(this.#base, path)).catch(() => undefined);
    if (real === undefined || !isWithin(real, this.#reach)) return;
    const names = [...path.split("/"), ...relative(this.#base, real).split("/")];
    if (names.some((name) => isEnvFileName(name) || name === ".git")) return;
    const text = await this.#readText(real, MAX_REFERRED_BYTES);
    if (text !== undefined) this.texts.set(path, text);
  }

  async #readText(path: string, maxBytes: number): Promise<string | undefined> {
    const { size, isFile } = await Deno.stat(path);
    if (!isFile || size > maxBytes) return undefined;
    this.#bytes += size;
    if (this.#bytes > MAX_BYTES) throw tooMuch("over 32 MB of text");
    const bytes = await Deno.readFile(path);
    return isBinary(bytes) ? undefined : new TextDecoder().decode(bytes);
  }
}

function tooMuch(what: string): NotInstalled {
  return new NotInstalled(`It has ${what}: name a folder or file in it`);
}
