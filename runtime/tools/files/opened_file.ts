// Opens a file for reading. Its path is resolved through the sandbox, then the open file is proven to be the file that the
// sandbox admitted. File tools read files only through this module; write_file.ts, remove_file.ts and move_file.ts change
// them.
//
// Hard links: the two names of a file are indistinguishable. A hard link inside the roots to a file outside is therefore
// readable. Creating such a link needs write access to both folders, which file tools never give.
import { type BigIntStats, constants, fstatSync, lstatSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname } from "../../../base/plain_path.ts";
import { identityOf } from "./place.ts";
import { type FileVersion, versionOf } from "./reported_write.ts";
import type { PathSandbox, ResolvedPath } from "./path_sandbox.ts";
import { PlaceChanged, requireFile, retryIfPlaceChanged } from "./file_failure.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** An open file that was proven to lie inside the sandbox. */
export class OpenedFile implements AsyncDisposable {
  readonly display: string;
  /** The size in bytes when the file was opened. */
  readonly size: number;
  readonly version: FileVersion;
  readonly #handle: FileHandle;

  constructor(resolved: ResolvedPath, handle: FileHandle, info: BigIntStats) {
    this.display = resolved.display;
    this.size = Number(info.size);
    this.version = versionOf(info);
    this.#handle = handle;
  }

  /**
   * Fills the buffer with the bytes from `position` on. Returns the number of bytes read, which is 0 at the end of the
   * file.
   */
  async read(buffer: Uint8Array, position: number): Promise<number> {
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, position);
    return bytesRead;
  }

  /** Returns the whole content. Throws ToolFailure if the file is longer than `maxBytes`. */
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

/** Opens a regular file for reading. Throws ToolFailure. The caller must dispose of the result. */
export async function openFile(sandbox: PathSandbox, text: string): Promise<OpenedFile> {
  return await retryIfPlaceChanged({ action: "read", text }, async () => {
    const resolved = await sandbox.resolve(text, "read");
    using folder = await sandbox.openFolder(dirname(resolved.path), "read");
    const at = () => folder.pathOf(basename(resolved.path));
    // The entry is checked before opening, too, because opening a pipe or a device can have side effects.
    requireFile(lstatSync(at(), { bigint: true }), { action: "read", text });
    const handle = await open(at(), constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const info = fstatSync(handle.fd, { bigint: true });
      requireFile(info, { action: "read", text });
      if (!folder.has(basename(resolved.path), identityOf(info))) throw new PlaceChanged();
      return new OpenedFile(resolved, handle, info);
    } catch (error) {
      await handle.close();
      throw error;
    }
  });
}
