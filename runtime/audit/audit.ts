// Records changes in the audit: for stores, which add the record to their own transaction, and for changes of files.
import type { Clock } from "../../base/clock.ts";
import { sha256Of } from "../../base/sha256.ts";
import { DAY_MS } from "../../base/time_units.ts";
import type { Database } from "../database/database.ts";
import type { AuditAction } from "../vocabulary/audit_actions.ts";
import {
  type AuditEntry,
  type AuditFilter,
  type AuditRecord,
  type AuditSubject,
  type FileChange,
  finishFileChange,
  intendFileChange,
  recordAudit,
  type RecordedFile,
  recordFileChange,
  removeExpired,
  selectAudit,
  selectFiles,
  selectTextBefore,
} from "./audit_table.ts";

/** A file to change: its absolute path, and its new text. Null removes the file. */
export interface PlannedFile {
  file: string;
  text: string | null;
  agentId?: string;
  /** True if the text is not stored, because the file may contain secrets. */
  isPrivate?: boolean;
}

/** A file on the disk: its absolute path, and the SHA-256 of its bytes. Undefined if the file cannot be read now. */
export interface SeenFile {
  file: string;
  digest: string | undefined;
  agentId?: string;
  /** Reads the text. It is stored, so that a later change can be undone. */
  readText?: () => Promise<string | undefined>;
}

/** Records and reads the audit of one database. */
export class SqlAudit {
  readonly #db: Database;
  readonly #clock: Pick<Clock, "now">;
  readonly #days: () => number | null;
  /** The files that are known to be recorded, by path. Undefined until the first check. */
  #seen: Map<string, RecordedFile> | undefined;

  /** `days` returns the present retention, or null if records are kept forever. */
  constructor(db: Database, { clock, days }: {
    clock: Pick<Clock, "now">;
    days: () => number | null;
  }) {
    this.#db = db;
    this.#clock = clock;
    this.#days = days;
  }

  /** Returns an entry for recordAudit(). Undefined without a caller, because changes that fire by themselves have none. */
  readonly entry = (
    action: AuditAction,
    by: AuditEntry["by"] | undefined,
    subject: AuditSubject = {},
  ): AuditEntry | undefined => {
    if (by === undefined) return undefined;
    const at = this.#clock.now();
    const days = this.#days();
    return { ...subject, action, by, at, expiresAt: days === null ? null : at + days * DAY_MS };
  };

  /** Records a change that stores nothing else in the database, such as a sign-in. */
  async record(
    action: AuditAction,
    by: AuditEntry["by"] | undefined,
    subject?: AuditSubject,
  ): Promise<void> {
    const entry = this.entry(action, by, subject);
    if (entry !== undefined) await this.#db.change("power", () => recordAudit(entry));
  }

  /**
   * Changes a file with `write`. Records first that the change is intended, and afterwards that it was made. If `write`
   * throws, the record shows a change that was not made.
   */
  readonly changeFile = async <T>(
    by: AuditEntry["by"] | undefined,
    { file, text, agentId, isPrivate = false }: PlannedFile,
    write: () => Promise<T>,
  ): Promise<T> => {
    const entry = this.entry("edit_file", by, { ...(agentId !== undefined && { agentId }) });
    if (entry === undefined) return await write();
    const digest = text === null ? null : await sha256Of(text);
    const change = { file, digest, ...(!isPrivate && { text }) };
    const id = await this.#db.change("power", () => intendFileChange(entry, change));
    const result = await write();
    await this.#db.change("power", () => finishFileChange(id));
    return result;
  };

  /** Records the files that changed on the disk since the last check, and those that are gone from `folder`. */
  async checkFiles(files: readonly SeenFile[], folder?: string): Promise<void> {
    const seen = this.#seen ??= await this.#db.read(selectFiles);
    for (const { file, digest, agentId = null, readText } of files) {
      if (digest === undefined || seen.get(file)?.digest === digest) continue;
      await this.#see({ file, digest, text: await readText?.() ?? null }, agentId);
      seen.set(file, { digest, agentId });
    }
    if (folder === undefined) return;
    const present = new Set(files.map(({ file }) => file));
    for (const [file, { agentId }] of seen) {
      if (present.has(file) || !file.startsWith(`${folder}/`)) continue;
      await this.#see({ file, digest: null }, agentId);
      seen.delete(file);
    }
  }

  async #see(change: FileChange, agentId: string | null): Promise<void> {
    const entry = this.entry("edit_file", { via: "disk" }, { agentId })!;
    await this.#db.change("power", () => recordFileChange(entry, change));
  }

  /** Returns the records that match the filter, newest first. */
  listRecords(filter: AuditFilter): Promise<AuditRecord[]> {
    return this.#db.read(() => selectAudit(filter));
  }

  /** Returns the text of a file before a record. Undefined if it is not known. */
  readTextBefore(record: Pick<AuditRecord, "id" | "file">): Promise<string | undefined> {
    return this.#db.read(() => selectTextBefore(record));
  }

  /** Removes the records whose own end has come. Returns their number. */
  sweep(): Promise<number> {
    return this.#db.change("process", () => removeExpired(this.#clock.now()));
  }
}
