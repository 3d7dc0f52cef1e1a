// Replacing an executable by a new one, so that a working one is there whatever happens.
import { basename, dirname, join } from "node:path";
import { CommandFailure, EXIT } from "../exit.ts";
import { takeLock } from "../../base/lock_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";

/** The files beside an executable while it is replaced. Hidden, and with its ending: Windows starts nothing without. */
export interface SwapPlaces extends AsyncDisposable {
  /** The executable, behind symbolic links. */
  readonly path: string;
  /** For the new one. */
  readonly next: string;
  /** For the old one, until the new one has proven itself. */
  readonly previous: string;
}

/**
 * Makes sure that the executable may be replaced, by this process alone, until disposed; what an update that was cut
 * off left behind is removed. Throws CommandFailure.
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
      // Whoever waits for the name gets a new file of it: two updates could then run, and each would still put only a
      // program that works in its place.
      await removeIfThere(lockFile);
      lock[Symbol.dispose]();
    },
  };
}

/**
 * Puts `next` in the place of `path`. `check` rejects when what stands at `path` then does not work: the old one is put
 * back, and the rejection passed on. `os` is the system of the executable.
 */
export async function swapBinary(
  { path, next, previous }: SwapPlaces,
  options: { os: typeof Deno.build.os; check: (path: string) => Promise<void> },
): Promise<void> {
  const isWindows = options.os === "windows";
  // Windows lets a program that runs be renamed, never replaced.
  if (isWindows) await Deno.rename(path, previous);
  else await keepUnderSecondName(path, previous);
  try {
    await Deno.rename(next, path);
    await options.check(path);
  } catch (error) {
    await Deno.rename(previous, path);
    // Two names of one file: renaming one to the other does nothing.
    await removeIfThere(previous);
    throw error;
  }
  // There, the old program is still running: the next update removes it.
  if (!isWindows) await Deno.remove(previous);
}

async function keepUnderSecondName(path: string, previous: string): Promise<void> {
  try {
    await Deno.link(path, previous);
  } catch {
    // A file system without links, or a file of somebody else's: a copy does as well.
    await Deno.copyFile(path, previous);
  }
}

async function removeIfThere(path: string): Promise<void> {
  await Deno.remove(path).catch(ignoreMissing);
}
