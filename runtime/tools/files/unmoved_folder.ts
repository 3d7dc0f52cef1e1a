// Proves that an operation through a path happened in the folder of that path, for folders without a descriptor
// (folder_handle.ts).
//
// The proof uses the folders' times. Checking the path more often would not help, because a program may swap folders
// endlessly. But renaming a folder, or replacing it with a link, changes two times: the parent's modification time and the
// folder's own change time.
import { dirname } from "../../../base/plain_path.ts";
import { SystemClock } from "../../../base/clock.ts";
import { foldPath } from "./place.ts";
import { PlaceChanged, PlaceUnsettled } from "./file_failure.ts";

/**
 * The clock to compare with file times. It is always the system's clock, because the kernel uses that clock for file times.
 */
export const FILE_CLOCK = new SystemClock();
/** The time for which a folder must not have moved. It exceeds the delay of the kernel's clock for file times (10 ms). */
const SETTLE_MS = 20;
/**
 * The pauses between the checks that a folder no longer moves. Their sum exceeds CHANGE_GRAIN_MS, so that the check of a
 * folder that rests succeeds.
 */
const WAITS_MS = [SETTLE_MS, 20, 40, 80, 160, 320, 640];
/** The resolution of a folder's change time, which Deno reports in whole seconds. */
const CHANGE_GRAIN_MS = 1_000;

/**
 * Returns true if no folder on a real path is a symlink, or was renamed or replaced since shortly before `since`, in
 * milliseconds since 1970. With Infinity as `since`, checks for symlinks only. After an operation, true proves that it
 * happened in this folder. The result is also false for a moment after a folder was created, and for a folder that is
 * written to while its siblings change.
 *
 * Three swaps are not detected: by the owner of the parent folder, who resets its time; on a file system without these
 * times, or with a clock that is behind; above the folders that Deno's flags allow, where only the real path can be
 * checked.
 */
export function isUnmoved(folder: string, since: number): boolean {
  const until = FILE_CLOCK.now() + CHANGE_GRAIN_MS;
  const isRecent = (time: Date | null, grain: number) => {
    const ms = time?.getTime() ?? 0;
    return ms + grain >= since - SETTLE_MS && ms <= until;
  };
  // Checks from the innermost folder to the root. The result for a folder counts only if the later check of its parent
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

/** Returns true if a path contains no symlink now. Throws file system errors. */
export function isReal(path: string): boolean {
  return foldPath(Deno.realPathSync(path)) === foldPath(path);
}

/**
 * Waits until the folder has not moved for SETTLE_MS. Does not wait for a folder that Deno's flags close, because its times
 * cannot be read. Throws PlaceUnsettled if the folder keeps moving, and ENOTDIR for a file.
 */
export async function waitUntilUnmoved(folder: string): Promise<void> {
  const info = unlessDenied(() => Deno.lstatSync(folder));
  if (info === undefined) return;
  if (info.isFile) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
  for (const ms of WAITS_MS) {
    if (isUnmoved(folder, FILE_CLOCK.now())) return;
    // A folder on the path was replaced by a symlink. Waiting does not help: the caller must resolve the path again.
    if (!isUnmoved(folder, Infinity)) throw new PlaceChanged();
    await FILE_CLOCK.sleep(ms);
  }
  if (!isUnmoved(folder, FILE_CLOCK.now())) throw new PlaceUnsettled();
}

/** Returns the result of `work`, or undefined if Deno's flags close the path. */
function unlessDenied<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
