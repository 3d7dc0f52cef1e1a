// The table of trigger states: consecutive failures, and the triggers that were stopped because of them.
import { HOUR_MS } from "../../base/time_units.ts";
import { toPlainLine } from "../../base/text/plain_text.ts";
import type { Execution } from "../executions/execution.ts";
import type { TriggerVerdict } from "../executions/record/ending_store.ts";
import type { Resumption } from "../executions/record/resumption.ts";
import type { StoppedTrigger, TriggerStateStore } from "../triggers/trigger_state_store.ts";
import type { Database } from "../database/database.ts";
import { all, get, type Operation, run } from "../database/operation.ts";

/** The wait before the first retry of a stopped trigger. */
const FIRST_TRY_MS = HOUR_MS;
/** The maximum length of the last error in the reason. */
const MAX_ERROR_LENGTH = 200;

/**
 * Counts the result of a run, in the transaction that ends it. Returns the new state of its agent's trigger, or undefined if
 * the state does not change.
 */
export function* countVerdict(
  { id, agentId, status, error, finishedAt }: Execution,
  { failed, maxFailures, print }: TriggerVerdict,
): Operation<Resumption["trigger"]> {
  if (!failed) {
    const before = yield* get<{ reason: string | null }>(
      "DELETE FROM trigger_states WHERE agent_id = ? RETURNING reason",
      agentId,
    );
    return before == null || before.reason === null ? undefined : "running";
  }
  const isSame = (column: string, otherwise: string) =>
    `CASE WHEN trigger_states.print = excluded.print THEN ${column} ELSE ${otherwise} END`;
  const counted = yield* get<{ failures: number; reason: string | null }>(
    "INSERT INTO trigger_states (agent_id, failures, print) VALUES (?, 1, ?) " +
      `ON CONFLICT (agent_id) DO UPDATE SET failures = ${
        isSame("trigger_states.failures + 1", "1")
      }, reason = ${isSame("trigger_states.reason", "NULL")}, print = excluded.print ` +
      "RETURNING failures, reason",
    agentId,
    print,
  );
  // A failed retry of a stopped trigger: the time of the next retry is already set.
  if (counted === undefined || counted.reason !== null) return undefined;
  if (counted.failures < maxFailures) return undefined;
  const times = counted.failures === 1 ? "A run" : `${counted.failures} runs in a row`;
  const reason = `${times} failed, the last one (execution ${id}) with ${status}: ` +
    toPlainLine(error ?? "", MAX_ERROR_LENGTH);
  const retryAt = (finishedAt ?? 0) + FIRST_TRY_MS;
  yield* run(
    "UPDATE trigger_states SET reason = ?, retry_at = ? WHERE agent_id = ?",
    reason,
    retryAt,
    agentId,
  );
  return { reason, stop: { by: "failures", retryAt, print } };
}

/** The trigger states of one database. */
export class SqlTriggerStateStore implements TriggerStateStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  readStopped(): Promise<StoppedTrigger[]> {
    return this.#db.read(function* () {
      const rows = yield* all<StoppedTrigger>(
        'SELECT agent_id AS "agentId", print, reason, retry_at AS "retryAt" FROM trigger_states ' +
          "WHERE reason IS NOT NULL ORDER BY agent_id",
      );
      return rows.map((row) => ({ ...row }));
    });
  }

  postponeTry(agentId: string, retryAt: number): Promise<void> {
    return this.#db.change("power", function* () {
      yield* run("UPDATE trigger_states SET retry_at = ? WHERE agent_id = ?", retryAt, agentId);
    });
  }

  release(agentId: string, { dropsChanges }: { dropsChanges: boolean }): Promise<number> {
    return this.#db.change("power", function* () {
      yield* run("DELETE FROM trigger_states WHERE agent_id = ?", agentId);
      return dropsChanges ? yield* run("DELETE FROM watch_queue WHERE agent_id = ?", agentId) : 0;
    });
  }
}
