// Idempotency keys: which execution a run got that somebody asked for under one.
import { DAY_MS } from "../../../base/time_units.ts";
import type { Database } from "../database.ts";
import { EXECUTION_COLUMNS, type ExecutionRow } from "./execution_rows.ts";

/** How long a key stands for its first run. */
const KEPT_MS = DAY_MS;

/** The execution that a key got within 24 hours before `now`, with its answer. */
export function selectByKey(
  db: Database,
  { key, now }: { key: string; now: number },
): ExecutionRow & { output_data: string | null } | undefined {
  return db.get(
    `SELECT ${EXECUTION_COLUMNS}, output_data FROM executions WHERE id = ` +
      "(SELECT execution_id FROM idempotency_keys WHERE key = ? AND created_at > ?)",
    key,
    now - KEPT_MS,
  );
}

/** Has a key stand for an execution, as part of the transaction that is open. */
export function insertKey(
  db: Database,
  { key, executionId, now }: { key: string; executionId: number; now: number },
): void {
  db.run(
    "INSERT OR REPLACE INTO idempotency_keys (key, execution_id, created_at) VALUES (?, ?, ?)",
    key,
    executionId,
    now,
  );
}
