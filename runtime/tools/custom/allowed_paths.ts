// Converts an agent's paths into the path lists of a worker's permissions. A list contains a whole folder only if nothing
// in the folder is closed to agents.
import type { Dirent } from "node:fs";
import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import { join } from "../../../base/plain_path.ts";
import { errorCode } from "../../../base/error_code.ts";
import { isEnvFileName } from "../../../base/files/env_file_name.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import type { PathSandbox } from "../files/path_sandbox.ts";
import { isWithin } from "../files/place.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { WorkerPermissions } from "./host_messages.ts";
import type { SandboxRoot } from "../../vocabulary/prompt_material.ts";

/** The maximum number of entries that are scanned for closed files in one root. */
const MAX_ENTRIES = 100_000;
const MAX_LISTED = 5_000;

/** The path lists of a worker's permissions. The paths are absolute, and a folder includes its content. */
export interface AllowedPaths {
  read: string[];
  write: string[];
  /** Symlinks whose target is closed or outside of the agent's paths. They are in neither list. */
  linksOut: string[];
}

/**
 * Returns the paths that a worker may use for an agent.
 *
 * A path list cannot exclude anything from a folder, and Deno follows symlinks. If a folder contains something closed (the
 * agents folder, an .env file) or a symlink to the outside, the list contains its other entries instead of the folder.
 * Nothing new can be created in such a folder. A symlink that is created later in a listed folder is followed, but only
 * programs outside of the worker can create one: Deno forbids it to the worker.
 *
 * Throws ToolFailure if there are too many entries to scan, because a folder that was not scanned could contain closed
 * files.
 */
export async function allowedPaths(
  sandbox: PathSandbox,
  { signal }: { signal: AbortSignal },
): Promise<AllowedPaths> {
  return await surveyRoots(sandbox, { signal, roots: await sandbox.roots() });
}

/** Returns the paths that a worker may read in the folder of a skill or in the tools folder. */
export async function readablePaths(
  sandbox: PathSandbox,
  { signal }: { signal: AbortSignal },
): Promise<Pick<AllowedPaths, "read" | "linksOut">> {
  const roots = (await sandbox.roots()).map((root) => ({ ...root, access: "read" as const }));
  return await surveyRoots(sandbox, { signal, roots });
}

/**
 * Returns the permissions of a worker for an agent (`inner`) and those of the process around it (`outer`), with the agent's
 * roots. `folder` is the folder of the tool or the skill, which both may read.
 */
export async function hostPermissions(
  folder: PathSandbox,
  { sandbox, signal }: { sandbox: PathSandbox; signal: AbortSignal },
  more: Pick<WorkerPermissions, "net" | "env">,
): Promise<{ inner: WorkerPermissions; outer: WorkerPermissions; roots: readonly SandboxRoot[] }> {
  const own = await readablePaths(folder, { signal });
  const allowed = await allowedPaths(sandbox, { signal });
  const roots = await sandbox.roots();
  const folders = (await folder.roots()).map(({ path }) => path);
  return {
    inner: { read: [...own.read, ...allowed.read], write: allowed.write, ...more },
    outer: {
      read: [...folders, ...roots.map(({ path }) => path)],
      write: roots.flatMap(({ path, access }) => access === "write" ? [path] : []),
      ...more,
    },
    roots,
  };
}

async function surveyRoots(
  sandbox: PathSandbox,
  options: { signal: AbortSignal; roots: readonly SandboxRoot[] },
): Promise<AllowedPaths> {
  const { roots } = options;
  const allowed: AllowedPaths = { read: [], write: [], linksOut: [] };
  for (const root of roots) {
    const survey = new Survey(sandbox, { ...options, root, linksOut: allowed.linksOut });
    const paths = await survey.paths();
    allowed.read.push(...paths);
    if (root.access === "write") allowed.write.push(...paths);
  }
  if (allowed.read.length > MAX_LISTED) throw tooMuch(`${MAX_LISTED} paths with`);
  return allowed;
}

interface SurveyOptions {
  signal: AbortSignal;
  root: SandboxRoot;
  /** All roots of the agent, because a symlink may point from one root into another. */
  roots: readonly SandboxRoot[];
  /** The list to which symlinks with a closed or outside target are added. */
  linksOut: string[];
}

class Survey {
  readonly #sandbox: PathSandbox;
  readonly #options: SurveyOptions;
  #entries = 0;

  constructor(sandbox: PathSandbox, options: SurveyOptions) {
    this.#sandbox = sandbox;
    this.#options = options;
  }

  /** Returns the permitted paths of the root. */
  async paths(): Promise<string[]> {
    const { path } = this.#options.root;
    if (this.#sandbox.refusal(path, "read") !== undefined) return [];
    const info = await lstat(path).catch(ignoreMissing);
    // A missing path is permitted, because it may be created later.
    if (info === undefined || info.isFile()) return [path];
    return await this.#folder(path);
  }

  /** Returns the folder itself if it may be used with all its content, else the permitted paths in it. */
  async #folder(path: string): Promise<string[]> {
    this.#options.signal.throwIfAborted();
    // A missing or unreadable folder counts as empty, because nothing in it can be read.
    const entries = await unlessUnreadable(readdir(path, { withFileTypes: true })) ?? [];
    this.#entries += entries.length;
    if (this.#entries > MAX_ENTRIES) throw tooMuch(`${MAX_ENTRIES} files and folders beside`);
    const paths: string[] = [];
    let whole = true;
    for (const entry of entries) {
      const inner = join(path, entry.name);
      const found = this.#entry(inner, entry);
      const permitted = found instanceof Promise ? await found : found;
      for (const one of permitted) paths.push(one);
      whole &&= permitted[0] === inner;
    }
    return whole ? [path] : paths;
  }

  /**
   * Returns the permitted paths of one entry. Returns a promise only for links and folders, because most entries are files,
   * and there may be very many.
   */
  #entry(path: string, entry: Dirent): string[] | Promise<string[]> {
    if (isEnvFileName(entry.name)) return [];
    if (entry.isSymbolicLink()) return this.#link(path);
    if (!entry.isDirectory()) return [path];
    return this.#sandbox.refusal(path, "read") === undefined ? this.#folder(path) : [];
  }

  /**
   * Permits a symlink to a permitted file. A symlink to a folder is not permitted, because a tool could read files through
   * it that are closed to agents.
   */
  async #link(path: string): Promise<string[]> {
    const real = await unlessUnreadable(realpath(path));
    if (real === undefined) return [];
    if (!this.#sandbox.isReadable(real)) {
      this.#options.linksOut.push(path);
      return [];
    }
    const isFile = (await unlessUnreadable(stat(real)))?.isFile();
    return isFile && await this.#stays(path, real) ? [path] : [];
  }

  /**
   * Returns true if the worker can neither redirect a symlink nor write a read-only file through it. Write access to the
   * root includes renaming, so a symlink with `..` in its target could be moved up and then point outside.
   */
  async #stays(path: string, real: string): Promise<boolean> {
    const { root, roots } = this.#options;
    if (root.access === "read") return true;
    const target = await unlessUnreadable(readlink(path));
    return target !== undefined && !target.split(/[/\\]/).includes("..") &&
      roots.some((one) => one.access === "write" && isWithin(real, one.path));
  }
}

function tooMuch(what: string): ToolFailure {
  return new ToolFailure(
    `The agent's paths, or the folder of its skill or tool, hold more than ${what} something closed to agents (.env files, symbolic links that point outside), ` +
      "which are too many to scan at each call. Name narrower `paths` in the agent's file.",
  );
}

const UNREADABLE = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP"]);

async function unlessUnreadable<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (UNREADABLE.has(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}
