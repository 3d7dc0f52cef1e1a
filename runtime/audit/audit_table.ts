// The table of the audit: one row for each change that a person, a program or the disk made. Rows are only added, and
// removed at their own end.
import type { JsonObject } from "../../base/json.ts";
import { isStorable } from "../../base/text/storable_text.ts";
import { all, get, lock, type Operation, run, send, type SqlValue } from "../database/operation.ts";
import type { AuditAction } from "../vocabulary/audit_actions.ts";
import type { Caller } from "../vocabulary/callers.ts";

/** The origin of a change: the channel of a request, or the disk for a file that was changed without the service. */
export type AuditSource = Caller["via"] | "disk";

/** The objects of a change. `detail` contains no secrets. */
export interface AuditSubject {
  agentId?: string | null;
  executionId?: number;
  detail?: JsonObject;
}

/** A change to record. Times are milliseconds since the epoch. */
export interface AuditEntry extends AuditSubject {
  at: number;
  /** The time at which the row is removed. Null if it is kept forever. A later setting does not change it. */
  expiresAt: number | null;
  action: AuditAction;
  by: { via: AuditSource; name?: string; address?: string };
}

/** A recorded change. */
export interface AuditRecord {
  id: number;
  at: number;
  action: AuditAction;
  via: AuditSource;
  /** The name of the person or key. Null for the key without a name, and for the disk. */
  name: string | null;
  /** The address of the client. Null for a change from this machine. */
  address: string | null;
  agentId: string | null;
  executionId: number | null;
  /** The path of the changed file. */
  file: string | null;
  /** False if a change of a file was intended, but is not known to be made. */
  isDone: boolean;
  detail: JsonObject;
}

/** The conditions on records. Absent ones do not count. */
export interface AuditFilter {
  actions?: readonly AuditAction[] | undefined;
  agentIds?: readonly string[] | undefined;
  /** True for only the changes that concern one agent. */
  ofAgents?: boolean;
  name?: string | undefined;
  via?: string | undefined;
  executionId?: number | undefined;
  file?: string | undefined;
  /** The first time in milliseconds since the epoch. */
  since?: number | undefined;
  /** The time after the last one. */
  until?: number | undefined;
  /** The records before this id. */
  before?: number | undefined;
  limit: number;
}

/** A change of a file: its path, and the SHA-256 and text of its new content. Null if the file is removed. */
export interface FileChange {
  file: string;
  digest: string | null;
  text?: string | null;
}

const COLUMNS = "at, expires_at, action, via, name, address, agent_id, execution_id, detail";

function valuesOf(entry: AuditEntry, subject: AuditSubject): SqlValue[] {
  const { at, expiresAt, action, by, ...rest } = entry;
  const { agentId, executionId, detail } = { ...rest, ...subject };
  return [
    at,
    expiresAt,
    action,
    by.via,
    by.name ?? null,
    by.address ?? null,
    agentId ?? null,
    executionId ?? null,
    JSON.stringify(detail ?? {}),
  ];
}

/** Records a change in the open transaction. `subject` completes the entry. Does nothing without an entry. */
export function* recordAudit(
  entry: AuditEntry | undefined,
  subject: AuditSubject = {},
): Operation<void> {
  if (entry === undefined) return;
  yield* send(
    `INSERT INTO audit (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ` +
      // An execution's agent need not be known.
      "coalesce(CAST(?7 AS TEXT), (SELECT agent_id FROM executions WHERE id = ?8)), ?8, ?)",
    ...valuesOf(entry, subject),
  );
}

/** Records that a change of a file is intended, and returns the record's id. */
export function* intendFileChange(entry: AuditEntry, change: FileChange): Operation<number> {
  const row = yield* insertFileChange(entry, { ...change, isDone: false });
  if (row === undefined) throw new TypeError("The statement returned no id");
  return row.id;
}

/**
 * Records a change of a file that was seen on the disk. If it is the file's last intended change, that one was made. Does
 * nothing if the file's last record has the same digest.
 */
export function* recordFileChange(entry: AuditEntry, change: FileChange): Operation<void> {
  yield* lock(`audit ${change.file}`);
  const last = yield* get<{ id: number; digest: string | null; is_done: number }>(
    "SELECT id, digest, is_done FROM audit WHERE file = ? ORDER BY id DESC LIMIT 1",
    change.file,
  );
  if (last === undefined || last.digest !== change.digest) {
    yield* insertFileChange(entry, { ...change, isDone: true });
  } else if (last.is_done === 0) yield* finishFileChange(last.id);
}

function insertFileChange(
  entry: AuditEntry,
  { file, digest, text, isDone }: FileChange & { isDone: boolean },
): Operation<{ id: number } | undefined> {
  const isKept = text != null && isStorable(text);
  const values = [...valuesOf(entry, {}), isDone ? 1 : 0, file, digest, isKept ? text : null];
  return get<{ id: number }>(
    `INSERT INTO audit (${COLUMNS}, is_done, file, digest, text) ` +
      `VALUES (${values.map(() => "?").join(", ")}) RETURNING id`,
    ...values,
  );
}

/** Stores that an intended change of a file was made. */
export function* finishFileChange(id: number): Operation<void> {
  yield* send("UPDATE audit SET is_done = 1 WHERE id = ? AND file IS NOT NULL", id);
}

/** SQL condition: a newer record of the same file exists. The last one is kept, to notice the next change. */
const IS_SUCCEEDED =
  "(file IS NULL OR EXISTS (SELECT 1 FROM audit later WHERE later.file = audit.file AND later.id > audit.id))";

/** Removes the records whose end has come, except the last one of each file. Returns their number. */
export function* removeExpired(now: number): Operation<number> {
  return yield* run(`DELETE FROM audit WHERE expires_at <= ? AND ${IS_SUCCEEDED}`, now);
}

/** The last recorded content of a file. */
export interface RecordedFile {
  digest: string;
  agentId: string | null;
}

/** Returns the last content of each recorded file that exists, by path. */
export function* selectFiles(): Operation<Map<string, RecordedFile>> {
  const rows = yield* all<RecordedFile & { file: string }>(
    'SELECT file, digest, agent_id AS "agentId" FROM audit WHERE digest IS NOT NULL AND id IN ' +
      "(SELECT max(id) FROM audit WHERE file IS NOT NULL AND is_done = 1 GROUP BY file)",
  );
  return new Map(rows.map(({ file, ...recorded }) => [file, recorded]));
}

/** Returns the text of a file before a record. Undefined if it is not known. */
export function* selectTextBefore(
  { id, file }: Pick<AuditRecord, "id" | "file">,
): Operation<string | undefined> {
  const row = yield* get<{ text: string | null }>(
    "SELECT text FROM audit WHERE file = ? AND id < ? AND is_done = 1 ORDER BY id DESC LIMIT 1",
    file,
    id,
  );
  return row?.text ?? undefined;
}

type AuditRow = Omit<AuditRecord, "isDone" | "detail"> & { is_done: number; detail: string };

/** Returns the records that match the filter, newest first. */
export function* selectAudit(filter: AuditFilter): Operation<AuditRecord[]> {
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
}
