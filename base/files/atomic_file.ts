// Replacing a file as a whole: a reader, and a machine that loses power, see the old content or the new, never a part.
import { dirname, join } from "node:path";
import { newContentName } from "./staged_files.ts";

/**
 * Writes `content` (text as UTF-8) to a temporary file in the same folder, flushes it to disk and renames it over `path`.
 * A symbolic link stays one: the file it points to is replaced. The new file gets `mode`, else the mode of the file it
 * replaces, else what the umask leaves of 0666. With `mustBeNew` nothing is ever replaced: where something stands at
 * `path` already, AlreadyExists is thrown; `link` then makes the hard link (absent: Deno.link). Throws what the file system
 * throws; then `path` is untouched and the temporary file is gone.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  options: { mode?: number; mustBeNew?: true; link?: typeof Deno.link } = {},
): Promise<void> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const target: Target = options.mustBeNew ? { path } : await existingFile(path);
  const mode = options.mode ?? target.mode;
  const { prefix, suffix } = newContentName();
  const temporary = join(dirname(target.path), `${prefix}0${suffix}`);
  try {
    // Born private, so that a secret is never readable by others, not even for a moment.
    const file = await Deno.open(temporary, {
      write: true,
      createNew: true,
      ...(mode === undefined ? {} : { mode: 0o600 }),
    });
    try {
      for (let written = 0; written < bytes.length;) {
        written += await file.write(bytes.subarray(written));
      }
      await file.sync();
    } finally {
      file.close();
    }
    if (mode !== undefined) await Deno.chmod(temporary, mode);
    if (options.mustBeNew) await putNew(temporary, path, options.link ?? Deno.link);
    else await Deno.rename(temporary, target.path);
  } catch (error) {
    await Deno.remove(temporary).catch((failure) => {
      if (!(failure instanceof Deno.errors.NotFound)) {
        throw new AggregateError([error, failure], `Cannot write ${path}, nor remove ${temporary}`);
      }
    });
    throw error;
  }
}

interface Target {
  path: string;
  /** Permission bits of the file that stands there. */
  mode?: number;
}

/** The file to replace, behind symbolic links, and its permission bits; `path` itself where there is none yet. */
async function existingFile(path: string): Promise<Target> {
  try {
    const real = await Deno.realPath(path);
    const { mode } = await Deno.stat(real);
    return mode === null ? { path: real } : { path: real, mode: mode & 0o777 };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { path };
    throw error;
  }
}

/** Gives the file its name, unless that is taken: a link never replaces anything, unlike a renaming. */
async function putNew(temporary: string, path: string, link: typeof Deno.link): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw error;
    // A file system without links: there, a moment stays between the look and the renaming.
    await Deno.lstat(path).then(
      () => Promise.reject(new Deno.errors.AlreadyExists(path)),
      (failure) => failure instanceof Deno.errors.NotFound ? undefined : Promise.reject(failure),
    );
    await Deno.rename(temporary, path);
    return;
  }
  await Deno.remove(temporary);
}
