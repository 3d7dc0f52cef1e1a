// Idempotency keys: which execution a run got that somebody asked for under one.
import { DAY_MS } from "../../../base/time_units.ts";
import { EXECUTION_COLUMNS, type ExecutionRow } from "./execution_rows.ts";
import { get, type Operation, run } from "../operation.ts";

/** How long a key stands for its first run. */
const KEPT_MS = DAY_MS;

/** The execution that a key got within 24 hours before `now`, with its answer. */
export function* selectByKey(
  { key, now }: { key: string; now: number },
): Operation<ExecutionRow & { output_data: string | null } | undefined> {
  return yield* get(
    `SELECT ${EXECUTION_COLUMNS}, output_data FROM executions WHERE id = ` +
      "(SELECT execution_id FROM idempotency_keys WHERE key = ? AND created_at > ?)",
    key,
    now - KEPT_MS,
  );
}

/** Has a key stand for an execution, as part of the transaction that is open. */
export function* insertKey(
  { key, executionId, now }: { key: string; executionId: number; now: number },
): Operation<void> {
  yield* run(
    "INSERT INTO idempotency_keys (key, execution_id, created_at) VALUES (?1, ?2, ?3) " +
      "ON CONFLICT (key) DO UPDATE SET execution_id = ?2, created_at = ?3",
    key,
    executionId,
    now,
  );
}
