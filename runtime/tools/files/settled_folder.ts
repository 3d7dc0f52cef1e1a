// Folders that cannot be held (held_folder.ts): the proof that what a path named in between lies where the path says.
//
// The times of folders tell. Looking more often does not help: a program that swaps without end gets past it. But who renames a
// folder, or exchanges it for a link, changes two times: that of the folder it lies in, and its own.
import { dirname } from "node:path";
import { SystemClock } from "../../../base/clock.ts";
import { foldPath } from "./place.ts";
import { PlaceChanged, PlaceUnsettled } from "./file_failure.ts";

/** Of the system alone: its times are those of files. */
export const FILE_CLOCK = new SystemClock();
/** How long a folder must have stayed where it is: more than the system's clock for files lags behind (10 ms at most). */
const SETTLE_MS = 20;
/** How long one waits for that, step by step. In all it is longer than the grain of the times below. */
const WAITS_MS = [SETTLE_MS, 20, 40, 80, 160, 320, 640];
/** Deno tells the time of a change of the folder itself in whole seconds. */
const CHANGE_GRAIN_MS = 1_000;

/**
 * Whether every folder of a real path is one, and none was renamed or exchanged since shortly before `since`: milliseconds, by
 * the system's clock as the times of files are; Infinity asks for links alone. Asked after something was done there, a yes
 * proves that it was done in this folder. It waits for nothing. A folder just made is a no for a moment, and so is one that is
 * written to while there is much going on beside it.
 *
 * What it does not see: a swap whose author sets back the time of the folder above, which only its owner can; one on a file
 * system that keeps no such times, or by a clock that is behind; one of a folder above those that Deno's flags allow, where
 * nothing can be asked but the real path.
 */
export function isUnmoved(folder: string, since: number): boolean {
  const until = FILE_CLOCK.now() + CHANGE_GRAIN_MS;
  const isRecent = (time: Date | null, grain: number) => {
    const ms = time?.getTime() ?? 0;
    return ms + grain >= since - SETTLE_MS && ms <= until;
  };
  // From the inside outwards: what was seen within a folder counts if the folder had not moved when it is looked at itself.
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

/** Whether no symlink stands in a path at this moment. Throws what the file system throws. */
export function isReal(path: string): boolean {
  return foldPath(Deno.realPathSync(path)) === foldPath(path);
}

/**
 * Waits until the folder has stayed where it is for long enough; a folder that Deno's flags close cannot be asked. Throws
 * PlaceUnsettled when that does not come, and the error of a path that names no folder.
 */
export async function settle(folder: string): Promise<void> {
  const info = unlessDenied(() => Deno.lstatSync(folder));
  if (info === undefined) return;
  if (info.isFile) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
  for (const ms of WAITS_MS) {
    if (isUnmoved(folder, FILE_CLOCK.now())) return;
    // A link will not become a folder: its path is to be resolved anew.
    if (!isUnmoved(folder, Infinity)) throw new PlaceChanged();
    await FILE_CLOCK.sleep(ms);
  }
  if (!isUnmoved(folder, FILE_CLOCK.now())) throw new PlaceUnsettled();
}

/** What the work returns; undefined where Deno's flags close the path to it. */
function unlessDenied<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
