// Records changes in the audit: for stores, which add the record to their own transaction, and for changes of files.
import type { Clock } from "../../base/clock.ts";
import { sha256Of } from "../../base/sha256.ts";
import { isStorable } from "../../base/text/storable_text.ts";
import { DAY_MS } from "../../base/time_units.ts";
import type { Database } from "../database/database.ts";
import { all, get, lock, type Operation, run, send, type SqlValue } from "../database/operation.ts";
import type { AuditAction } from "../vocabulary/audit_actions.ts";
import {
  type AuditEntry,
  type AuditFilter,
  type AuditRecord,
  type AuditSubject,
  COLUMNS,
  recordAudit,
  valuesOf,
} from "./audit_table.ts";

/** A file on the disk: its absolute path, and the SHA-256 of its bytes. Undefined if the file cannot be read now. */
export interface SeenFile {
  file: string;
  digest: string | undefined;
  agentId?: string;
  /** Reads the text. It is stored, so that a later change can be undone. */
  readText?: () => Promise<string | undefined>;
}

/** A change of a file: its path, and the SHA-256 and text of its new content. Null if the file is removed. */
interface FileChange {
  file: string;
  digest: string | null;
  text?: string | null;
}

/** SQL condition: a newer record of the same file exists. The last one is kept, to notice the next change. */
const IS_SUCCEEDED =
  "(file IS NULL OR EXISTS (SELECT 1 FROM audit later WHERE later.file = audit.file AND later.id > audit.id))";

type RecordedFile = { digest: string; agentId: string | null };
type AuditRow = Omit<AuditRecord, "isDone" | "detail"> & { is_done: number; detail: string };

/** Records and reads the audit of one database. */
export class SqlAudit {
  readonly #db: Database;
  readonly #clock: Pick<Clock, "now">;
  readonly #days: () => number | null;
  /** The last content of each recorded file that exists, by path. Undefined until the first check. */
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
   * Changes a file with `write`. Null as the text removes the file. Records first that the change is intended, and afterwards
   * that it was made. If `write` throws, the record shows a change that was not made. The text is not stored if the file
   * may contain secrets (`isPrivate`).
   */
  readonly changeFile = async <T>(
    by: AuditEntry["by"] | undefined,
    { file, text, agentId, isPrivate = false }: {
      file: string;
      text: string | null;
      agentId?: string;
      isPrivate?: boolean;
    },
    write: () => Promise<T>,
  ): Promise<T> => {
    const entry = this.entry("edit_file", by, { ...(agentId !== undefined && { agentId }) });
    if (entry === undefined) return await write();
    const digest = text === null ? null : await sha256Of(text);
    const change = { file, digest, isDone: false, ...(!isPrivate && { text }) };
    const id = await this.#db.change("power", () => insertFileChange(entry, change));
    const result = await write();
    await this.#db.change("power", () => finishFileChange(id));
    return result;
  };

  /** Records the files that changed on the disk since the last check, and those that are gone from `folder`. */
  async checkFiles(files: readonly SeenFile[], folder?: string): Promise<void> {
    const seen = this.#seen ??= await this.#readFiles();
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

  #readFiles(): Promise<Map<string, RecordedFile>> {
    return this.#db.read(function* () {
      const rows = yield* all<RecordedFile & { file: string }>(
        'SELECT file, digest, agent_id AS "agentId" FROM audit WHERE digest IS NOT NULL AND id IN ' +
          "(SELECT max(id) FROM audit WHERE file IS NOT NULL AND is_done = 1 GROUP BY file)",
      );
      return new Map(rows.map(({ file, ...recorded }) => [file, recorded]));
    });
  }

  /**
   * Records a change of a file that was seen on the disk. If it is the file's last intended change, that one was made. Does
   * nothing if the file's last record has the same digest.
   */
  async #see(change: FileChange, agentId: string | null): Promise<void> {
    const entry = this.entry("edit_file", { via: "disk" }, { agentId })!;
    await this.#db.change("power", function* () {
      yield* lock(`audit ${change.file}`);
      const last = yield* get<{ id: number; digest: string | null; is_done: number }>(
        "SELECT id, digest, is_done FROM audit WHERE file = ? ORDER BY id DESC LIMIT 1",
        change.file,
      );
      if (last === undefined || last.digest !== change.digest) {
        yield* insertFileChange(entry, { ...change, isDone: true });
      } else if (last.is_done === 0) yield* finishFileChange(last.id);
    });
  }

  /** Returns the records that match the filter, newest first. */
  listRecords(filter: AuditFilter): Promise<AuditRecord[]> {
    const conditions: string[] = [];
    const values: SqlValue[] = [];
    const add = (condition: string, value: SqlValue | undefined) => {
      if (value === undefined) return;
      conditions.push(condition);
      values.push(value);
    };
    const addList = (column: string, list: readonly string[] | undefined) =>
      add(
        `${column} IN (SELECT value FROM json_each(?))`,
        list === undefined ? undefined : JSON.stringify(list),
      );
    if (filter.ofAgents) conditions.push("agent_id IS NOT NULL");
    addList("action", filter.actions);
    addList("agent_id", filter.agentIds);
    add("name = ?", filter.name);
    add("via = ?", filter.via);
    add("execution_id = ?", filter.executionId);
    add("file = ?", filter.file);
    add("at >= ?", filter.since);
    add("at < ?", filter.until);
    add("id < ?", filter.before);
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")} `;
    return this.#db.read(function* () {
      const rows = yield* all<AuditRow>(
        'SELECT id, at, action, via, name, address, agent_id AS "agentId", execution_id AS "executionId", ' +
          `file, is_done, detail FROM audit ${where}ORDER BY id DESC LIMIT ?`,
        ...values,
        filter.limit,
      );
      return rows.map(({ is_done, detail, ...row }) => ({
        ...row,
        isDone: is_done === 1,
        detail: JSON.parse(detail),
      }));
    });
  }

  /** Returns the text of a file before a record. Undefined if it is not known. */
  readTextBefore({ id, file }: Pick<AuditRecord, "id" | "file">): Promise<string | undefined> {
    return this.#db.read(function* () {
      const row = yield* get<{ text: string | null }>(
        "SELECT text FROM audit WHERE file = ? AND id < ? AND is_done = 1 ORDER BY id DESC LIMIT 1",
        file,
        id,
      );
      return row?.text ?? undefined;
    });
  }

  /** Removes the records whose own end has come, except the last one of each file. Returns their number. */
  sweep(): Promise<number> {
    const sql = `DELETE FROM audit WHERE expires_at <= ? AND ${IS_SUCCEEDED}`;
    return this.#db.change("process", () => run(sql, this.#clock.now()));
  }
}

/** Records a change of a file, which is made or only intended, and returns the record's id. */
function* insertFileChange(
  entry: AuditEntry,
  { file, digest, text, isDone }: FileChange & { isDone: boolean },
): Operation<number> {
  const isKept = text != null && isStorable(text);
  const values = [...valuesOf(entry), isDone ? 1 : 0, file, digest, isKept ? text : null];
  const row = yield* get<{ id: number }>(
    `INSERT INTO audit (${COLUMNS}, is_done, file, digest, text) ` +
      `VALUES (${values.map(() => "?").join(", ")}) RETURNING id`,
    ...values,
  );
  if (row === undefined) throw new TypeError("The statement returned no id");
  return row.id;
}

/** Stores that an intended change of a file was made. */
function* finishFileChange(id: number): Operation<void> {
  yield* send("UPDATE audit SET is_done = 1 WHERE id = ? AND file IS NOT NULL", id);
}
