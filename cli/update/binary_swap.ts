// Replaces an executable. A working one exists at every moment.
import { basename, dirname, join } from "node:path";
import { CommandFailure, EXIT } from "../context/exit.ts";
import { takeLock } from "../../base/files/lock_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/** The files next to an executable during its replacement. Hidden, with its extension, which Windows needs to start them. */
export interface SwapPlaces extends AsyncDisposable {
  /** The executable, with symbolic links resolved. */
  readonly path: string;
  /** The path of the new executable. */
  readonly next: string;
  /** The path of the old executable until the new one is verified. */
  readonly previous: string;
}

/**
 * Locks the executable for a replacement by this process until disposed, and removes the files of an interrupted update.
 * Throws CommandFailure if the folder is not writable or another update runs.
 */
export async function openSwapPlaces(executable: string): Promise<SwapPlaces> {
  const path = await Deno.realPath(executable);
  const [directory, name] = [dirname(path), basename(path)];
  const beside = (kind: string) => join(directory, `.inkling-${kind}-${name}`);
  const lockFile = beside("update-lock");
  let lock: Disposable | undefined;
  try {
    lock = takeLock(lockFile);
  } catch (cause) {
    throw new CommandFailure(
      EXIT.failed,
      `Cannot replace ${path}: nothing can be written to ${directory}. ` +
        "Run the command as its owner, or install Inkling to a folder of your own",
      { cause },
    );
  }
  if (lock === undefined) {
    throw new CommandFailure(EXIT.failed, `Another update of ${path} is in progress`);
  }
  const places = { path, next: beside("next"), previous: beside("previous") };
  await removeIfThere(places.next);
  await removeIfThere(places.previous);
  return {
    ...places,
    async [Symbol.asyncDispose]() {
      await removeIfThere(places.next);
      // A waiting process then locks a new file, so two updates could run. Each of them still installs a working program.
      await removeIfThere(lockFile);
      lock[Symbol.dispose]();
    },
  };
}

/**
 * Moves `next` to `path` and calls `check`. If `check` rejects, restores the old executable and rejects, too. `os` is the
 * system of the executable.
 */
export async function swapBinary(
  { path, next, previous }: SwapPlaces,
  options: { os: typeof Deno.build.os; check: (path: string) => Promise<void> },
): Promise<void> {
  const isWindows = options.os === "windows";
  // Windows can rename a running program, but not replace it.
  if (isWindows) await Deno.rename(path, previous);
  else await linkOrCopy(path, previous);
  try {
    await Deno.rename(next, path);
    await options.check(path);
  } catch (error) {
    await Deno.rename(previous, path);
    // If both names are links to one file, the rename does nothing.
    await removeIfThere(previous);
    throw error;
  }
  // On Windows the old program is still running; the next update removes it.
  if (!isWindows) await Deno.remove(previous);
}

async function linkOrCopy(path: string, previous: string): Promise<void> {
  try {
    await Deno.link(path, previous);
  } catch {
    // The file system has no links, or another user owns the file.
    await Deno.copyFile(path, previous);
  }
}

async function removeIfThere(path: string): Promise<void> {
  await Deno.remove(path).catch(ignoreMissing);
}
