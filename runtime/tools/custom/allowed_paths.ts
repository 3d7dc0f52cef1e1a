// The paths of an agent as the list that a worker's permissions are: whole folders where nothing in them is closed.
import type { Dirent } from "node:fs";
import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../../base/error_code.ts";
import { isEnvFileName } from "../../../base/files/env_file_name.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import type { PathSandbox, SandboxRoot } from "../files/path_sandbox.ts";
import { isWithin } from "../files/place.ts";
import { ToolFailure } from "../tool_failure.ts";

/** How many files and folders are looked through for what is closed, and how many paths a list may have. */
const MAX_ENTRIES = 100_000;
const MAX_LISTED = 5_000;

/** Absolute paths, each with all below it. */
export interface AllowedPaths {
  read: string[];
  write: string[];
  /** Symlinks that lead out of what is allowed, or into what is closed. They are in neither list. */
  linksOut: string[];
}

/**
 * What code may reach that is confined by path lists alone. Such a list cannot take anything out of a folder, and
 * follows symlinks: a folder that holds something closed (the agents folder, an .env file) or a symlink that leads out
 * is therefore replaced by the rest of its entries. In it nothing new can be made then. A symlink that appears later in a
 * whole folder is followed: only somebody else can make one, for Deno lets no confined code. Throws ToolFailure when there
 * is too much to look through: allowing it unseen would open what is closed.
 */
export async function allowedPaths(
  sandbox: PathSandbox,
  { signal }: { signal: AbortSignal },
): Promise<AllowedPaths> {
  return await surveyRoots(sandbox, { signal, roots: await sandbox.roots() });
}

/** The same for the folder of a skill or of tools, which is only read. */
export async function readablePaths(
  sandbox: PathSandbox,
  { signal }: { signal: AbortSignal },
): Promise<Pick<AllowedPaths, "read" | "linksOut">> {
  const roots = (await sandbox.roots()).map((root) => ({ ...root, access: "read" as const }));
  return await surveyRoots(sandbox, { signal, roots });
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

/** The entries of a folder that may be reached, and whether that is all of them. */
interface Surveyed {
  paths: string[];
  whole: boolean;
}

const NONE: Surveyed = { paths: [], whole: false };

interface SurveyOptions {
  signal: AbortSignal;
  root: SandboxRoot;
  /** All there are: a symlink may lead from one into another. */
  roots: readonly SandboxRoot[];
  /** Takes up what is found. */
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

  /** What may be reached of the root. */
  async paths(): Promise<string[]> {
    const { path } = this.#options.root;
    if (this.#sandbox.refusal(path, "read") !== undefined) return [];
    const info = await lstat(path).catch(ignoreMissing);
    // What does not exist yet may be made, what it then is included.
    if (info === undefined || info.isFile()) return [path];
    return (await this.#folder(path)).paths;
  }

  async #folder(path: string): Promise<Surveyed> {
    this.#options.signal.throwIfAborted();
    // Gone, or closed to this process as well: there is nothing in it to protect.
    const entries = await unlessUnreadable(readdir(path, { withFileTypes: true })) ?? [];
    this.#entries += entries.length;
    if (this.#entries > MAX_ENTRIES) throw tooMuch(`${MAX_ENTRIES} files and folders beside`);
    const paths: string[] = [];
    let whole = true;
    for (const entry of entries) {
      const found = this.#entry(join(path, entry.name), entry);
      const surveyed = found instanceof Promise ? await found : found;
      for (const one of surveyed.paths) paths.push(one);
      whole &&= surveyed.whole;
    }
    return whole ? { paths: [path], whole } : { paths, whole };
  }

  /** Waits only where it must: most entries are files, and there may be very many. */
  #entry(path: string, entry: Dirent): Surveyed | Promise<Surveyed> {
    if (isEnvFileName(entry.name)) return NONE;
    if (entry.isSymbolicLink()) return this.#link(path);
    if (!entry.isDirectory()) return { paths: [path], whole: true };
    return this.#sandbox.refusal(path, "read") === undefined ? this.#folder(path) : NONE;
  }

  /** A symlinked folder is left out: what is closed below it would have two names. */
  async #link(path: string): Promise<Surveyed> {
    const real = await unlessUnreadable(realpath(path));
    if (real === undefined) return NONE;
    if (!this.#sandbox.isReadable(real)) {
      this.#options.linksOut.push(path);
      return NONE;
    }
    const isFile = (await unlessUnreadable(stat(real)))?.isFile();
    if (!isFile || !await this.#stays(path, real)) return NONE;
    return { paths: [path], whole: true };
  }

  /**
   * Whether a symlink leads nowhere else whatever is done in its root. Where one can write one can also rename: a symlink
   * with `..` in it, or its folder, moved up, would lead out. And through a symlink one writes what it leads to.
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
    `The agent's paths, or the folder of its skill or tool, hold more than ${what} something closed to agents (.env files, symbolic links that lead out), ` +
      "which is too much to look through at each call. Name narrower `paths` in the agent's file.",
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
