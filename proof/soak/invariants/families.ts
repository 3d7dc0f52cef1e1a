// Invariants of delegated executions and dependent rows: the row that a reference names exists.
import { type Invariant, isKept, rule } from "./invariant.ts";

const OWNED = ["frames", "messages", "tool_calls", "requests", "idempotency_keys"] as const;

/**
 * SQLite's integrity check. It reads the whole file, so it runs only in complete checks and after the service has ended.
 */
export const WHOLE_FILE: Invariant = {
  name: "the database file is undamaged",
  find: (rows, { since, service }) => {
    if (since > 0 && service !== "dead") return [];
    try {
      return rows.all("PRAGMA integrity_check").filter((row) => Object.values(row)[0] !== "ok");
    } catch (error) {
      // The integrity check itself throws if the file is badly damaged.
      return [{ error: String(error) }];
    }
  },
};

export const FAMILIES: readonly Invariant[] = [
  ...OWNED.map((table) =>
    rule(
      `no row of ${table} without its execution`,
      `SELECT t.rowid AS row, t.execution_id FROM ${table} t LEFT JOIN executions e ON e.id = t.execution_id ` +
        "WHERE t.execution_id >= ?1 AND e.id IS NULL",
    )
  ),
  rule(
    "every execution belongs to an instance",
    "SELECT e.id, e.instance_id FROM executions e LEFT JOIN instances i ON i.id = e.instance_id " +
      "WHERE e.id >= ?1 AND i.id IS NULL",
  ),
  rule(
    "exactly the delegated executions have a parent, whose depth is one less",
    "SELECT e.id, e.trigger, e.depth, e.parent_execution_id, p.depth AS above FROM executions e " +
      "LEFT JOIN executions p ON p.id = e.parent_execution_id WHERE e.id >= ?1 " +
      "AND ((e.trigger = 'agent') <> (p.id IS NOT NULL) OR p.id >= e.id OR p.depth + 1 <> e.depth)",
  ),
  rule(
    "a delegated execution was started by a call of run_agent",
    "SELECT e.id, e.parent_execution_id, e.parent_position, c.name FROM executions e LEFT JOIN tool_calls c " +
      "ON c.execution_id = e.parent_execution_id AND c.position = e.parent_position " +
      "WHERE e.id >= ?1 AND e.trigger = 'agent' AND c.name IS NOT 'run_agent' " +
      `AND ${isKept("e.parent_execution_id")}`,
  ),
  rule(
    "every delegated execution ends before its parent succeeds",
    "SELECT c.id, c.status, p.id AS parent FROM executions c JOIN executions p ON p.id = c.parent_execution_id " +
      "WHERE c.id >= ?1 AND p.status = 'success' AND (c.finished_at IS NULL OR c.finished_at > p.finished_at + ?2)",
  ),
  WHOLE_FILE,
  {
    name: "every foreign key refers to an existing row",
    find: (rows) => rows.all("PRAGMA foreign_key_check"),
  },
];
