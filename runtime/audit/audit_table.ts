// The table of the audit: one row for each change that a person, a program or the disk made. Rows are only added, and
// removed at their own end.
import type { JsonObject } from "../../base/json.ts";
import { type Operation, send, type SqlValue } from "../database/operation.ts";
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

/** The columns of a record that every change has. */
export const COLUMNS = "at, expires_at, action, via, name, address, agent_id, execution_id, detail";

/** Returns the values of COLUMNS. `subject` completes the entry. */
export function valuesOf(entry: AuditEntry, subject: AuditSubject = {}): SqlValue[] {
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
