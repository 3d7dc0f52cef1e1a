// What was last seen at a watched path. Stays known while the path is gone: its files count as they were until it is back.
import { join } from "node:path";
import type { Stamp } from "./change_folding.ts";
import { FolderView, type FolderViewOptions } from "./folder_view.ts";
import type { WatchedRoot } from "./watched_root.ts";

/** What is known of a path. Nothing, until there was something for the first time. */
export class SeenPlace {
  #last: { root: WatchedRoot; view: FolderView } | undefined;

  /** Whether a file or folder has been seen at the path at least once. */
  get isKnown(): boolean {
    return this.#last !== undefined;
  }

  /** The watched file, or undefined where that is a folder. Real. */
  get file(): string | undefined {
    const { folder, only } = this.#last?.root ?? {};
    return folder === undefined || only === undefined ? undefined : join(folder, only);
  }

  /** The real folder of its files. */
  get folder(): string | undefined {
    return this.#last?.root.folder;
  }

  files(): Iterable<[path: string, stamp: Stamp]> {
    return this.#last?.view.files() ?? [];
  }

  stampAt(path: string): Stamp | null {
    return this.#last?.view.stampAt(path) ?? null;
  }

  /** Files and folders in it that cannot be read now. */
  get unread(): readonly string[] {
    return this.#last?.view.unread ?? [];
  }

  /** Files and folders in it that could never be read. */
  get hidden(): readonly string[] {
    return this.#last?.view.hidden ?? [];
  }

  /** Whether there may be a file that could not be seen yet. */
  hides(path: string): boolean {
    return this.#last?.view.hides(path) ?? false;
  }

  /** The view of what is there now: the last one, where it is of the same, so that what it knows is compared with. */
  viewOf(root: WatchedRoot, options: Omit<FolderViewOptions, "only">): FolderView {
    const { folder, only } = root;
    if (this.#last?.root.folder !== folder || this.#last.root.only !== only) {
      this.#last = { root, view: new FolderView(folder, { ...options, only }) };
    }
    return this.#last.view;
  }
}
