// The table of idempotency keys, each with the execution that it started.
import { DAY_MS } from "../../../base/time_units.ts";
import { ANSWERED_COLUMNS, type AnsweredRow } from "./execution_rows.ts";
import { get, type Operation, send } from "../../database/operation.ts";

/** The time for which a key is valid. */
const KEPT_MS = DAY_MS;

/**
 * Returns the execution that a request with this key started within the 24 hours before `now`, with its answer; undefined
 * if there is none.
 */
export function* selectByKey(
  { key, now }: { key: string; now: number },
): Operation<AnsweredRow | undefined> {
  return yield* get(
    `SELECT ${ANSWERED_COLUMNS} FROM executions WHERE id = ` +
      "(SELECT execution_id FROM idempotency_keys WHERE key = ? AND created_at > ?)",
    key,
    now - KEPT_MS,
  );
}

/** Stores a key and its execution, in the open transaction. */
export function* insertKey(
  { key, executionId, now }: { key: string; executionId: number; now: number },
): Operation<void> {
  yield* send(
    "INSERT INTO idempotency_keys (key, execution_id, created_at) VALUES (?1, ?2, ?3) " +
      "ON CONFLICT (key) DO UPDATE SET execution_id = ?2, created_at = ?3",
    key,
    executionId,
    now,
  );
}
