// Changes of files: writing, deleting, moving. Each resolves its paths through the sandbox, then proves that what it wrote
// or removed really was the file that passed, and tells of the change. File tools change nothing in any other way.
//
// Hard links: a file is replaced and never written in place, so writing to a name that is a hard link to a file outside
// leaves the file outside as it is. What reading does with one stands in opened_file.ts.
import { createHash } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../error_code.ts";
import { toFileFailure } from "./file_failure.ts";
import { type FileIdentity, identityOf, isAt } from "./file_identity.ts";
import { type FileVersion, versionOf, type WrittenFile } from "./file_write.ts";
import type { PathSandbox } from "./path_sandbox.ts";
import { PlaceChanged, retryIfPlaceChanged } from "./place_changed.ts";
import { refuseUnlessFile } from "./regular_file.ts";
import { isLinkRefusal, makeFolders, StagedFile } from "./staged_file.ts";
import { ToolFailure } from "./tool_failure.ts";

const COPY_BYTES = 256 * 1024;
const PERMISSIONS = 0o7777;
const WRITABLE = 0o222;

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
  return await retryIfPlaceChanged({ action: "write", text }, async () => {
    const { path, display } = await sandbox.resolve(text, "write");
    const before = await statOrMissing(path);
    if (before !== undefined) {
      refuseUnlessFile(before, { action: "write", text });
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
  return await retryIfPlaceChanged({ action: "delete", text }, async () => {
    const { path, display } = await sandbox.resolveEntry(text);
    const info = await lstat(path, { bigint: true });
    if (!info.isSymbolicLink()) refuseUnlessFile(info, { action: "delete", text });
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
  return await retryIfPlaceChanged({ action: "move", text: source }, async () => {
    const from = await sandbox.resolveEntry(source);
    const info = await lstat(from.path, { bigint: true });
    if (info.isSymbolicLink()) {
      throw new ToolFailure(
        `Cannot move "${source}": it is a symbolic link; only files can be moved.`,
      );
    }
    refuseUnlessFile(info, { action: "move", text: source });
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
    if (opened !== identity || !isAt(source, identity)) throw new PlaceChanged();
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
