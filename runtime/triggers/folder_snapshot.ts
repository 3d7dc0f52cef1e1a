// How a folder's files looked when they were last seen, so that a look now tells what has changed. Pure.
import { basename, dirname, join } from "node:path";
import type { Stamp, Transition } from "./change_folding.ts";

/** Stands for a folder where a file's stamp would be. */
export const FOLDER = Symbol("folder");

/** What stands at a path: a file by its stamp, a folder; null: nothing that is looked at. */
export type Entry = Stamp | typeof FOLDER | null;

/**
 * The stamp in a stat result. A device's number is left out: it may be another one after a restart. Milliseconds are as
 * exact as file systems are.
 */
export function stampOf(info: Deno.FileInfo): Stamp {
  return `${info.ino}:${info.size}:${info.mtime?.getTime()}`;
}

/** Files and folders below one folder, by absolute path. */
export class FolderSnapshot {
  /** The entries of each folder that is known, by name. */
  readonly #folders: Map<string, Map<string, Exclude<Entry, null>>>;

  #size = 0;

  constructor(root: string) {
    this.#folders = new Map([[root, new Map()]]);
  }

  /** How many files and folders are known. */
  get size(): number {
    return this.#size;
  }

  isFolder(path: string): boolean {
    return this.#folders.has(path);
  }

  /** Whether a file or a folder is known there. */
  has(path: string): boolean {
    return this.isFolder(path) || this.stampAt(path) !== null;
  }

  /** A file's stamp; null where no file is known. */
  stampAt(path: string): Stamp | null {
    const entry = this.#folders.get(dirname(path))?.get(basename(path));
    return typeof entry === "string" ? entry : null;
  }

  /** The names known in a folder. */
  namesIn(folder: string): string[] {
    return [...this.#folders.get(folder)?.keys() ?? []];
  }

  /** Every file with its stamp. */
  *files(): Generator<[path: string, stamp: Stamp]> {
    for (const [folder, entries] of this.#folders) {
      for (const [name, entry] of entries) if (entry !== FOLDER) yield [join(folder, name), entry];
    }
  }

  /** Sets what stands at a path in a known folder; gives what has changed by that, all below it included. */
  set(path: string, entry: Entry): Transition[] {
    const siblings = this.#folders.get(dirname(path));
    const name = basename(path);
    const known = siblings?.get(name);
    if (siblings === undefined || known === (entry ?? undefined)) return [];
    const changes: Transition[] = [];
    if (known === FOLDER) this.#forget(path, changes);
    const before = typeof known === "string" ? known : null;
    const now = typeof entry === "string" ? entry : null;
    if (before !== now) changes.push({ path, before, now });
    this.#size += Number(entry !== null) - Number(known !== undefined);
    if (entry === null) siblings.delete(name);
    else siblings.set(name, entry);
    if (entry === FOLDER) this.#folders.set(path, new Map());
    return changes;
  }

  #forget(folder: string, changes: Transition[]): void {
    const entries = this.#folders.get(folder) ?? new Map<string, Exclude<Entry, null>>();
    this.#size -= entries.size;
    for (const [name, entry] of entries) {
      const path = join(folder, name);
      if (entry === FOLDER) this.#forget(path, changes);
      else changes.push({ path, before: entry, now: null });
    }
    this.#folders.delete(folder);
  }
}
