// The move check for folders without a descriptor (folder_handle.ts): proves that an operation through a path happened in the
// folder of that path.
//
// The folders' times are the proof. Checking the path more often does not help, because a program may swap folders
// endlessly. But renaming a folder, or replacing it with a link, changes two times: the parent's modification time and the
// folder's own change time.
import { dirname } from "node:path";
import { SystemClock } from "../../../base/clock.ts";
import { foldPath } from "./place.ts";
import { PlaceChanged, PlaceUnsettled } from "./file_failure.ts";

/** Always the system's clock, because file times come from it. */
export const FILE_CLOCK = new SystemClock();
/** The time that a folder must have stayed in its place. It exceeds the lag of the system's file clock (10 ms at most). */
const SETTLE_MS = 20;
/** The waits for that, in steps. Their sum exceeds the resolution of the times below. */
const WAITS_MS = [SETTLE_MS, 20, 40, 80, 160, 320, 640];
/** Deno reports a folder's change time in whole seconds. */
const CHANGE_GRAIN_MS = 1_000;

/**
 * Returns true if every folder of a real path is a folder, and none was renamed or replaced since shortly before `since`,
 * in milliseconds of the system's clock. Infinity checks for links only. After an operation, true proves that it happened
 * in this folder. The check does not wait. It returns false for a moment after a folder was created, and for a folder that
 * is written to while its siblings change.
 *
 * Three swaps go unnoticed: one by the owner of the parent folder, who resets its time; one on a file system without such
 * times, or with a clock that is behind; one above the folders that Deno's flags allow, where only the real path can be
 * checked.
 */
export function isUnmoved(folder: string, since: number): boolean {
  const until = FILE_CLOCK.now() + CHANGE_GRAIN_MS;
  const isRecent = (time: Date | null, grain: number) => {
    const ms = time?.getTime() ?? 0;
    return ms + grain >= since - SETTLE_MS && ms <= until;
  };
  // Checks from the innermost folder outwards. The result for an inner folder counts only if the later check of its parent
  // shows that the parent has not moved.
  for (let path = folder, inner = Deno.lstatSync(path);;) {
    if (!inner.isDirectory) return false;
    const parent = dirname(path);
    if (parent === path) return true;
    const outer = unlessDenied(() => Deno.lstatSync(parent));
    if (outer === undefined) return isReal(path);
    if (isRecent(outer.mtime, 0) && isRecent(inner.ctime, CHANGE_GRAIN_MS)) return false;
    path = parent;
    inner = outer;
  }
}

/** Returns true if a path contains no symlink at this moment. Throws file system errors. */
export function isReal(path: string): boolean {
  return foldPath(Deno.realPathSync(path)) === foldPath(path);
}

/**
 * Waits until the folder has stayed in its place long enough. A folder that Deno's flags close cannot be checked. Throws
 * PlaceUnsettled when it keeps moving, and an error for a path that is no folder.
 */
export async function waitUntilUnmoved(folder: string): Promise<void> {
  const info = unlessDenied(() => Deno.lstatSync(folder));
  if (info === undefined) return;
  if (info.isFile) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
  for (const ms of WAITS_MS) {
    if (isUnmoved(folder, FILE_CLOCK.now())) return;
    // A link does not become a folder: the caller must resolve the path again.
    if (!isUnmoved(folder, Infinity)) throw new PlaceChanged();
    await FILE_CLOCK.sleep(ms);
  }
  if (!isUnmoved(folder, FILE_CLOCK.now())) throw new PlaceUnsettled();
}

/** Returns the result of the work, or undefined when Deno's flags close the path. */
function unlessDenied<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
