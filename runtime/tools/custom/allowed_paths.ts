// The paths of an agent as the list that a worker's permissions are: whole folders where nothing in them is closed.
import type { Dirent } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../error_code.ts";
import { isEnvFileName } from "../../files/env_file_name.ts";
import { ignoreMissing } from "../missing_entry.ts";
import type { PathSandbox } from "../path_sandbox.ts";
import { ToolFailure } from "../tool_failure.ts";

/** How many files and folders are looked through for what is closed, and how many paths a list may have. */
const MAX_ENTRIES = 100_000;
const MAX_LISTED = 5_000;

/** Absolute paths, each with all below it. */
export interface AllowedPaths {
  read: string[];
  write: string[];
}

/**
 * What code may reach that is confined by path lists alone. Such a list cannot take anything out of a folder, and
 * follows symlinks: a folder that holds something closed (the agents folder, an .env file) or a symlink that leads out
 * is therefore replaced by the rest of its entries. In it nothing new can be made then. Throws ToolFailure when there is
 * too much to look through: allowing it unseen would open what is closed.
 */
export async function allowedPaths(
  sandbox: PathSandbox,
  options: { signal: AbortSignal },
): Promise<AllowedPaths> {
  const survey = new Survey(sandbox, options.signal);
  const allowed: AllowedPaths = { read: [], write: [] };
  for (const root of await sandbox.roots()) {
    const paths = await survey.root(root.path);
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

class Survey {
  readonly #sandbox: PathSandbox;
  readonly #signal: AbortSignal;
  #entries = 0;

  constructor(sandbox: PathSandbox, signal: AbortSignal) {
    this.#sandbox = sandbox;
    this.#signal = signal;
  }

  async root(path: string): Promise<string[]> {
    if (this.#sandbox.refusal(path, "read") !== undefined) return [];
    const info = await lstat(path).catch(ignoreMissing);
    // What does not exist yet may be made, what it then is included.
    if (info === undefined || info.isFile()) return [path];
    return (await this.#folder(path)).paths;
  }

  async #folder(path: string): Promise<Surveyed> {
    this.#signal.throwIfAborted();
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
    if (real === undefined || !this.#sandbox.isReadable(real)) return NONE;
    const isFile = (await unlessUnreadable(stat(real)))?.isFile();
    return isFile ? { paths: [path], whole: true } : NONE;
  }
}

function tooMuch(what: string): ToolFailure {
  return new ToolFailure(
    `The agent's paths hold more than ${what} something closed to agents (.env files, symbolic links that lead out), ` +
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
