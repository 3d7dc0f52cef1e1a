// The only way from a tool to the disk: each operation resolves its paths through the sandbox and then proves that what
// it opened, wrote or removed really was the file that passed. Built-in tools import no other file functions.
//
// Hard links: two names of one file cannot be told apart, so a hard link inside the roots to a file outside reads like
// any file. Making one takes write access to both places, which the tools never give; and since a file is replaced and
// never written in place, writing to such a name leaves the file outside as it is.
import { createHash } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../error_code.ts";
import { toFileFailure } from "./file_failure.ts";
import { type FileIdentity, identityOf, isAt } from "./file_identity.ts";
import { type FileVersion, versionOf, type WrittenFile } from "./file_write.ts";
import type { PathSandbox, ResolvedPath } from "./path_sandbox.ts";
import { isLinkRefusal, makeFolders, PlaceChanged, StagedFile } from "./staged_file.ts";
import { ToolFailure } from "./tool_failure.ts";

/** How often an operation starts over when its file was replaced meanwhile (an editor saving, for one). */
const ATTEMPTS = 3;
const COPY_BYTES = 256 * 1024;
const PERMISSIONS = 0o7777;
const WRITABLE = 0o222;

/** A file open for reading, proven to lie inside the sandbox. */
export class OpenedFile implements AsyncDisposable {
  readonly display: string;
  /** Bytes. */
  readonly size: number;
  readonly version: FileVersion;
  readonly #handle: FileHandle;

  constructor(resolved: ResolvedPath, handle: FileHandle, info: BigIntStats) {
    this.display = resolved.display;
    this.size = Number(info.size);
    this.version = versionOf(info);
    this.#handle = handle;
  }

  /** Fills the buffer with the bytes at `position`; returns how many there were, 0 at the end. */
  async read(buffer: Uint8Array, position: number): Promise<number> {
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, position);
    return bytesRead;
  }

  /** The whole content. Throws ToolFailure when it is longer than `maxBytes`. */
  async readAll(maxBytes: number): Promise<Uint8Array> {
    const size = this.size;
    if (size > maxBytes) {
      throw new ToolFailure(`"${this.display}" is too big: ${size} bytes, at most ${maxBytes}.`);
    }
    const content = new Uint8Array(size);
    for (let filled = 0; filled < size;) {
      const count = await this.read(content.subarray(filled), filled);
      if (count === 0) return content.subarray(0, filled);
      filled += count;
    }
    return content;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** Opens a regular file for reading. Throws ToolFailure. Dispose of it. */
export async function openFile(sandbox: PathSandbox, text: string): Promise<OpenedFile> {
  return await attempt("read", text, async () => {
    const resolved = await sandbox.resolve(text, "read");
    // Looked at before opening, too: opening a pipe or a device can have effects of its own.
    refuseUnlessFile(await lstat(resolved.path, { bigint: true }), "read", text);
    const handle = await open(resolved.path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const info = await handle.stat({ bigint: true });
      refuseUnlessFile(info, "read", text);
      if (!await isAt(resolved.path, identityOf(info))) throw new PlaceChanged();
      return new OpenedFile(resolved, handle, info);
    } catch (error) {
      await handle.close();
      throw error;
    }
  });
}

/** What a written file looked like before. */
export interface WriteOutcome {
  display: string;
  created: boolean;
}

/**
 * Writes a whole file: a temporary one beside it, then a rename. An existing file keeps its mode; missing folders are
 * made. With `version` it is refused when the file was changed since that was read. Throws ToolFailure.
 */
export async function writeFile(
  sandbox: PathSandbox,
  text: string,
  content: Uint8Array,
  options: { version?: FileVersion; signal: AbortSignal },
): Promise<WriteOutcome> {
  return await attempt("write", text, async () => {
    const { path, display } = await sandbox.resolve(text, "write");
    const before = await statOrMissing(path);
    if (before !== undefined) {
      refuseUnlessFile(before, "write", text);
      if ((Number(before.mode) & WRITABLE) === 0) {
        throw new ToolFailure(`Cannot write "${text}": the file is marked read-only.`);
      }
    }
    await makeFolders(dirname(path));
    const staged = await StagedFile.write(path, [content], {
      signal: options.signal,
      ...(before === undefined ? {} : { mode: Number(before.mode) & PERMISSIONS }),
    });
    try {
      const sha256 = createHash("sha256").update(content).digest("hex");
      const written = { version: await staged.version(), size: content.length, sha256 };
      await refuseIfChanged(path, options.version, text);
      await telling(sandbox, { path, outcome: written }, () => staged.publish());
    } catch (error) {
      await staged.discard();
      throw error;
    }
    return { display, created: before === undefined };
  });
}

/** Removes a file, or a symlink itself. Returns the path as shown. Throws ToolFailure. */
export async function removeFile(sandbox: PathSandbox, text: string): Promise<string> {
  return await attempt("delete", text, async () => {
    const { path, display } = await sandbox.resolveEntry(text);
    const info = await lstat(path, { bigint: true });
    if (!info.isSymbolicLink()) refuseUnlessFile(info, "delete", text);
    await removeEntry(sandbox, path, identityOf(info));
    return display;
  });
}

/** Moves a regular file to a name that is free; never overwrites. Returns both paths as shown. Throws ToolFailure. */
export async function moveFile(
  sandbox: PathSandbox,
  texts: { source: string; destination: string },
  options: { signal: AbortSignal },
): Promise<{ source: string; destination: string }> {
  const { source, destination } = texts;
  return await attempt("move", source, async () => {
    const from = await sandbox.resolveEntry(source);
    const info = await lstat(from.path, { bigint: true });
    if (info.isSymbolicLink()) {
      throw new ToolFailure(
        `Cannot move "${source}": it is a symbolic link; only files can be moved.`,
      );
    }
    refuseUnlessFile(info, "move", source);
    const to = await sandbox.resolve(destination, "write");
    await refuseIfThere(to.path, destination);
    await makeFolders(dirname(to.path));
    const staged = await stageCopy(from.path, info, to.path, options.signal);
    try {
      const written = { version: await staged.version(), size: Number(info.size), sha256: null };
      await telling(sandbox, { path: to.path, outcome: written }, () => staged.publishNew());
    } catch (error) {
      await staged.discard();
      throw toFileFailure(error, "move to", destination);
    }
    try {
      await removeEntry(sandbox, from.path, identityOf(info));
    } catch (error) {
      const copy = await statOrMissing(to.path);
      if (copy !== undefined) await removeEntry(sandbox, to.path, identityOf(copy));
      throw error;
    }
    return { source: from.display, destination: to.display };
  });
}

/** The file under a second, staged name in the target's folder; its content copied where links do not go. */
async function stageCopy(
  source: string,
  info: BigIntStats,
  target: string,
  signal: AbortSignal,
): Promise<StagedFile> {
  const identity = identityOf(info);
  try {
    return await StagedFile.link(source, identity, target);
  } catch (error) {
    if (!isLinkRefusal(error)) throw error;
  }
  const handle = await open(source, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const opened = identityOf(await handle.stat({ bigint: true }));
    if (opened !== identity || !await isAt(source, identity)) throw new PlaceChanged();
    return await StagedFile.write(target, chunksOf(handle), {
      mode: Number(info.mode) & PERMISSIONS,
      signal,
    });
  } finally {
    await handle.close();
  }
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(COPY_BYTES);
  for (let position = 0;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function removeEntry(
  sandbox: PathSandbox,
  path: string,
  identity: FileIdentity,
): Promise<void> {
  await telling(sandbox, { path, outcome: "removed" }, async () => {
    await (await StagedFile.setAside(path, identity)).discard();
  });
}

/** Makes a change that others can see, and tells of it. */
async function telling(
  sandbox: PathSandbox,
  { path, outcome }: { path: string; outcome: WrittenFile | "removed" },
  change: () => Promise<void>,
): Promise<void> {
  const told = Promise.withResolvers<WrittenFile | "removed" | "unchanged">();
  sandbox.report({ path, outcome: told.promise });
  try {
    await change();
  } catch (error) {
    // A file that was published may be there nevertheless; the claim names its content, so it does no harm.
    told.resolve(outcome === "removed" ? "unchanged" : outcome);
    throw error;
  }
  told.resolve(outcome);
}

async function attempt<T>(action: string, text: string, work: () => Promise<T>): Promise<T> {
  for (let count = 1;; count++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PlaceChanged)) throw toFileFailure(error, action, text);
      if (count < ATTEMPTS) continue;
      throw new ToolFailure(
        `Cannot ${action} "${text}": its place in the file system changed meanwhile. Look again and retry.`,
        { cause: error },
      );
    }
  }
}

async function statOrMissing(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

async function refuseIfThere(path: string, text: string): Promise<void> {
  const info = await statOrMissing(path);
  if (info === undefined) return;
  throw new ToolFailure(
    info.isDirectory()
      ? `Cannot move to "${text}": it is a folder. Name the file in it, too.`
      : `Cannot move to "${text}": it exists already, and moving never overwrites.`,
  );
}

async function refuseIfChanged(
  path: string,
  version: FileVersion | undefined,
  text: string,
): Promise<void> {
  if (version === undefined) return;
  const info = await statOrMissing(path);
  if (info !== undefined && versionOf(info) === version) return;
  throw new ToolFailure(
    `Cannot write "${text}": somebody changed it since it was read. Read it again.`,
  );
}

function refuseUnlessFile(info: BigIntStats, action: string, text: string): void {
  if (info.isFile()) return;
  // A symlink where a real path was: it was put there after the check.
  if (info.isSymbolicLink()) throw new PlaceChanged();
  if (info.isDirectory()) {
    throw new ToolFailure(
      `Cannot ${action} "${text}": it is a folder. Use file_glob to see what is in it.`,
    );
  }
  throw new ToolFailure(
    `Cannot ${action} "${text}": it is no regular file (a pipe, socket or device).`,
  );
}
