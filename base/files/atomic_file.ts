// Replaces whole files atomically: after a crash at any moment, a reader sees the old or the new content and never a part.
import { dirname, join } from "../plain_path.ts";
import { newContentName } from "./staged_files.ts";

/**
 * Writes `content` (text as UTF-8) to a temporary file in the same folder, flushes it to disk and renames it to `path`.
 *
 * If `path` is a symbolic link, the link's target is replaced. The new file gets `mode`, or the mode of the replaced file,
 * or the default of the umask. With `mustBeNew`, throws AlreadyExists if `path` exists, and `link` creates the hard link
 * (default: Deno.link). After any other error of the file system, `path` is unchanged and the temporary file is removed.
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
    // The temporary file is private from the start, so that other users can never read a secret in it.
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
  /** The permission bits of the existing file; undefined if there is none. */
  mode?: number;
}

/**
 * Returns the file to replace, after resolving symbolic links, with its permission bits; `path` itself if nothing exists
 * there.
 */
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

/**
 * Creates a hard link from `path` to the temporary file, which fails if `path` exists. A rename would replace an existing
 * file.
 */
async function putNew(temporary: string, path: string, link: typeof Deno.link): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw error;
    // On a file system without hard links, another program may create `path` between this check and the rename.
    await Deno.lstat(path).then(
      () => Promise.reject(new Deno.errors.AlreadyExists(path)),
      (failure) => failure instanceof Deno.errors.NotFound ? undefined : Promise.reject(failure),
    );
    await Deno.rename(temporary, path);
    return;
  }
  await Deno.remove(temporary);
}
