// Replaces an executable file. At every moment a working program exists: at the path of the executable, or next to it.
import { basename, dirname, join } from "../../base/plain_path.ts";
import { commandFailed } from "../context/exit.ts";
import { takeLock } from "../../base/files/lock_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/**
 * The paths of the files that a replacement uses: the executable, with symbolic links resolved; beside it the new executable
 * before the replacement, and the old one until the new one is verified.
 */
type SwapPlaces = Readonly<Record<"path" | "next" | "previous", string>>;

/**
 * Locks the executable, so that no other process replaces it, and removes the files of an interrupted update. Disposal
 * releases the lock. Throws CommandFailure if the folder is not writable or another update runs.
 */
export async function openSwapPlaces(executable: string): Promise<SwapPlaces & AsyncDisposable> {
  const path = await Deno.realPath(executable);
  const [directory, name] = [dirname(path), basename(path)];
  const beside = (kind: string) => join(directory, `.inkling-${kind}-${name}`);
  const lockFile = beside("update-lock");
  let lock: Disposable | undefined;
  try {
    lock = takeLock(lockFile);
  } catch (cause) {
    throw commandFailed(
      `Cannot replace ${path}: nothing can be written to ${directory}. ` +
        "Run the command as its owner, or install Inkling to a folder of your own",
      { cause },
    );
  }
  if (lock === undefined) {
    throw commandFailed(`Another update of ${path} is in progress`);
  }
  const places = { path, next: beside("next"), previous: beside("previous") };
  await removeIfThere(places.next);
  await removeIfThere(places.previous);
  return {
    ...places,
    async [Symbol.asyncDispose]() {
      await removeIfThere(places.next);
      // Removing the lock file allows a second update at the same time, because a waiting process locks a new file. Each of
      // the two updates still installs a working program.
      await removeIfThere(lockFile);
      lock[Symbol.dispose]();
    },
  };
}

/**
 * Moves `next` to `path` and calls `check` with the path. If `check` rejects, restores the old executable and rejects with
 * the same error.
 */
export async function swapBinary(
  { path, next, previous }: SwapPlaces,
  check: (path: string) => Promise<void>,
): Promise<void> {
  await linkOrCopy(path, previous);
  try {
    await Deno.rename(next, path);
    await check(path);
  } catch (error) {
    await Deno.rename(previous, path);
    // If both paths are links to one file, the rename does nothing and leaves `previous`.
    await removeIfThere(previous);
    throw error;
  }
  await Deno.remove(previous);
}

async function linkOrCopy(path: string, previous: string): Promise<void> {
  try {
    await Deno.link(path, previous);
  } catch {
    // The file system has no hard links, or forbids a link to a file of another user.
    await Deno.copyFile(path, previous);
  }
}

async function removeIfThere(path: string): Promise<void> {
  await Deno.remove(path).catch(ignoreMissing);
}
