// Reads one file for a search. Reads synchronously, because a thread switch takes longer than reading a small file.
import type { Buffer } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { basename } from "../../../base/plain_path.ts";
import { isBinary, SAMPLE_BYTES } from "../../../base/text/text_content.ts";
import type { FolderHandle } from "../files/folder_handle.ts";
import { identityOf } from "../files/place.ts";

/** The size of one read. Searching it takes some milliseconds, and the service does other work between two reads. */
export const PART_BYTES = 64 * 1024;
const LF = 10;

/** A part of a file: whole lines, or a piece of a line that is longer than PART_BYTES. */
export interface FilePart {
  /** The content in UTF-8. It is valid until the next part is requested. */
  bytes: Buffer;
  /** The position of the part in the file, in bytes. */
  at: number;
  /** True if a line end follows the part. */
  endsLine: boolean;
  /** True if the part is the whole file. */
  isWhole: boolean;
}

/** An open file in a folder. Its content may be used only if isUsable() returns true. */
export class SearchedFile implements Disposable {
  readonly #folder: FolderHandle;
  readonly #path: string;
  readonly #mayBeBinary: boolean;
  readonly #fd: number;
  /** The line number of a position, for the next call of lineAt(). */
  #known = { at: 0, line: 1 };

  /**
   * Opens a file of the folder by its real path. Throws file system errors. The opened file may lie outside of the folder if
   * the path was replaced: isUsable() detects that. Deno would convert a path through the folder's descriptor to the real
   * path (see FolderHandle.has), which takes longer than reading the file. With `mayBeBinary`, a binary file is usable, too.
   */
  constructor(folder: FolderHandle, path: string, { mayBeBinary }: { mayBeBinary: boolean }) {
    this.#folder = folder;
    this.#path = path;
    this.#mayBeBinary = mayBeBinary;
    const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
    this.#fd = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  }

  /**
   * Yields the parts of the file. `buffer` has PART_BYTES and is used until the last part. Yields nothing for a file of
   * several parts that has a NUL byte near its beginning, which no text contains, unless binary files are usable.
   */
  *parts(buffer: Buffer): Generator<FilePart> {
    for (let kept = 0, at = 0;;) {
      const filled = kept + readSync(this.#fd, buffer, kept, buffer.length - kept, at + kept);
      const isLast = filled < buffer.length;
      if (filled === 0) return;
      const isFirstOfMore = at === 0 && !isLast && !this.#mayBeBinary;
      if (isFirstOfMore && buffer.subarray(0, SAMPLE_BYTES).includes(0)) return;
      const lineEnd = isLast ? -1 : buffer.lastIndexOf(LF);
      const endsLine = lineEnd >= 0;
      const end = isLast ? filled : endsLine ? lineEnd : startOfLastCharacter(buffer);
      yield { bytes: buffer.subarray(0, end), at, endsLine, isWhole: at === 0 && isLast };
      if (isLast) return;
      const next = endsLine ? end + 1 : end;
      buffer.copyWithin(0, next);
      kept = filled - next;
      at += next;
    }
  }

  /**
   * Returns the number of the line that contains a position. The position must not be before that of the previous call. The
   * line ends are counted only here, because most files have no match.
   */
  lineAt(position: number): number {
    const buffer = new Uint8Array(PART_BYTES);
    while (this.#known.at < position) {
      const { at, line } = this.#known;
      const most = Math.min(buffer.length, position - at);
      const count = readSync(this.#fd, buffer, 0, most, at);
      if (count === 0) break;
      this.#known = { at: at + count, line: line + countLineEnds(buffer.subarray(0, count)) };
    }
    return this.#known.line;
  }

  /**
   * Returns true if the open file is still the folder's entry, is a regular file, and begins like a text or may be binary.
   */
  isUsable(): boolean {
    const info = fstatSync(this.#fd, { bigint: true });
    if (!info.isFile() || !this.#folder.has(basename(this.#path), identityOf(info))) return false;
    if (this.#mayBeBinary) return true;
    const sample = new Uint8Array(SAMPLE_BYTES);
    return !isBinary(sample.subarray(0, readSync(this.#fd, sample, 0, SAMPLE_BYTES, 0)));
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

/** Returns the index at which the last character of UTF-8 begins, which may be incomplete. */
function startOfLastCharacter(bytes: Uint8Array): number {
  let at = bytes.length - 1;
  while (at > bytes.length - 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}

function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count++;
  return count;
}
