// A small text file that is checked at each use, and read again after a change. Its class reads without waiting, because
// every redaction uses it.
import type { Diagnostic } from "../../../base/diagnostics.ts";
import { unreadableReason } from "../../../base/files/unreadable.ts";
import { stampFile } from "./file_stamp.ts";
import { isStillMissing, type MissingFile, rememberMissing } from "./missing_file.ts";
import { decodeText } from "./text_file.ts";

const LARGEST_FILE_BYTES = 1_024 * 1_024;

/** The state of a changed file. `changedAt` is the time of its last change by the file system's clock. */
export type ChangedFile =
  | { state: "text"; text: string; changedAt: number | undefined }
  /** The file is not text. */
  | { state: "bytes"; diagnostic: Diagnostic; changedAt: number | undefined }
  | { state: "missing" }
  | { state: "unfit"; reason: "is not a file" | "is over 1 MB" }
  | { state: "unreadable"; reason: string };

/** A file of at most 1 MB that may change at any time. */
export class ChangingFile {
  readonly path: string;
  /** The stamp of the file at the last read; undefined if the next call must read the file. */
  #stamp: string | undefined;
  /** Avoids the cost of an error for a file that is still missing. */
  #missing: MissingFile | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Returns the new state of the file, or undefined if the file has not changed since the last call. */
  readIfChanged(): ChangedFile | undefined {
    if (this.#missing !== undefined && isStillMissing(this.#missing)) return undefined;
    this.#missing = undefined;
    try {
      const info = Deno.statSync(this.path);
      const stamp = stampFile(info);
      if (stamp !== undefined && stamp === this.#stamp) return undefined;
      const changed = this.#read(info);
      this.#stamp = stamp;
      return changed;
    } catch (error) {
      this.#stamp = undefined;
      if (!(error instanceof Deno.errors.NotFound)) {
        return { state: "unreadable", reason: unreadableReason(error) };
      }
      this.#missing = rememberMissing(this.path);
      return { state: "missing" };
    }
  }

  #read(info: Deno.FileInfo): ChangedFile {
    // The type is checked before the read, because opening a named pipe would block forever.
    if (!info.isFile) return { state: "unfit", reason: "is not a file" };
    if (info.size > LARGEST_FILE_BYTES) return { state: "unfit", reason: "is over 1 MB" };
    const changedAt = info.mtime?.getTime();
    const decoded = decodeText(Deno.readFileSync(this.path), this.path);
    return "diagnostic" in decoded
      ? { state: "bytes", ...decoded, changedAt }
      : { state: "text", ...decoded, changedAt };
  }
}
