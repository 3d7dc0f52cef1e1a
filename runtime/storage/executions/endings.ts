// Stores the ends of executions.
import { HOUR_MS } from "../../../base/time_units.ts";
import { recordAudit } from "../../audit/audit_table.ts";
import { toPlainLine } from "../../../base/text/plain_text.ts";
import type { Execution } from "../../executions/execution.ts";
import type {
  Ending,
  EndingStore,
  Pause,
  Resumption,
  TriggerVerdict,
} from "../../executions/record/ending_store.ts";
import { type EventMessages, NO_MESSAGES } from "../../notify/outbox.ts";
import { SpendingTable } from "../../executions/budget/spending_table.ts";
import type { Database } from "../../database/database.ts";
import { ADD_FIGURES, EXECUTION_COLUMNS, figuresOf, toExecution } from "./execution_rows.ts";
import type { ExecutionRow } from "./execution_rows.ts";
import { insertFollowUps } from "../../triggers/after/follow_up_store.ts";
import { appendFrames } from "../frames.ts";
import { insertCalls, insertMessages } from "./conversation_rows.ts";
import { voidRequests } from "./request_rows.ts";
import { endRestsAbove, holdExecution, RESTS } from "./rests.ts";
import { resumeAncestors } from "./waiting.ts";
import { isAlive } from "../../database/instances.ts";
import { fence, fenceEnding, get, type Operation, run, send } from "../../database/operation.ts";

/**
 * Ends the rest of an execution, and invalidates its claim, so that no node can write to it any more. Returns false if a
 * living process runs the execution.
 */
function* fenceOffOwner(id: number): Operation<boolean> {
  const changed = yield* run(
    {
      sqlite: `UPDATE executions SET rests_until = NULL WHERE id = ? AND ${RESTS}`,
      postgres: "UPDATE executions SET rests_until = NULL, epoch = epoch + 1, job = NULL " +
        `WHERE id = ? AND status = 'running' AND (${RESTS} OR instance_id IS NULL ` +
        `OR NOT ${isAlive("executions.instance_id")})`,
    },
    id,
  );
  return changed > 0;
}

/**
 * Stores the ends of executions. A parent that waits for the ended execution runs again, owned by `ownerId`; null leaves it
 * without an owner until a node claims it.
 */
export class SqlEndingStore implements EndingStore {
  readonly #db: Database;
  readonly #ownerId: string | null;
  readonly #messages: EventMessages;
  readonly #spending: SpendingTable;

  constructor(
    db: Database,
    ownerId: string | null,
    { messages = NO_MESSAGES, spending = new SpendingTable() }: {
      messages?: EventMessages;
      spending?: SpendingTable;
    } = {},
  ) {
    this.#db = db;
    this.#ownerId = ownerId;
    this.#messages = messages;
    this.#spending = spending;
  }

  finishExecution(executionId: number, planned: Ending): Promise<Resumption | undefined> {
    const ownerId = this.#ownerId;
    const messages = this.#messages;
    const spending = this.#spending;
    return this.#db.change("power", function* () {
      let wanted: string | null = null;
      if (planned.isUnclaimed) {
        if (!(yield* fenceOffOwner(executionId))) return undefined;
        // A waiting execution has no owner, so any node may end it.
      } else if (planned.from === "running") {
        wanted = yield* fenceEnding(executionId);
      }
      const ending = planned.insteadOf?.(wanted) ?? planned;
      const { reply } = ending;
      if (reply !== undefined) {
        yield* insertMessages(executionId, [reply.message], reply.terms);
        yield* insertCalls(executionId, reply.calls);
      }
      const row = yield* get<ExecutionRow>(
        `UPDATE executions SET ${ADD_FIGURES}, status = ?, error = ?, output_data = ?, ` +
          `finished_at = ? WHERE id = ? AND status = ? RETURNING ${EXECUTION_COLUMNS}`,
        ...figuresOf({
          usage: reply === undefined ? ending.cut ?? null : reply.usage,
          costUsd: (reply ?? ending.cut)?.costUsd ?? null,
          durationMs: ending.durationMs + (reply?.durationMs ?? 0),
        }, (reply?.calls.length ?? 0) - (ending.refusedCalls ?? 0)),
        ending.status,
        ending.error,
        ending.output,
        ending.finishedAt,
        executionId,
        ending.from,
      );
      if (row === undefined) return undefined;
      // A running execution has no open question.
      if (ending.from === "waiting") yield* voidRequests(executionId, ending.finishedAt);
      const execution = toExecution(row);
      yield* recordAudit(planned.audit, { executionId });
      const frames = [...reply?.frames(execution) ?? [], ...ending.frames(execution)];
      yield* appendFrames(executionId, frames, execution.status);
      yield* messages.record({ type: "ended", execution, output: ending.output });
      const trigger = ending.verdict && (yield* countVerdict(execution, ending.verdict));
      if (trigger !== undefined && trigger !== "running") {
        const { agentId, displayName } = execution;
        yield* messages.record({ type: "stopped", agentId, displayName, ...trigger });
      }
      yield* insertFollowUps(executionId, ending.followers ?? []);
      yield* spending.bookKept(executionId);
      // The parent of a running execution is running, too. The parent of a waiting or resting execution must be resumed.
      const ancestors = ending.from === "waiting"
        ? yield* resumeAncestors(executionId, ownerId)
        : planned.isUnclaimed
        ? yield* endRestsAbove(executionId, {
          ended: { at: ending.finishedAt, by: "person" },
          ownerId,
        })
        : [];
      return { execution, ancestors, ...(trigger && { trigger }) };
    });
  }

  restExecution(executionId: number, pause: Pause): Promise<void> {
    const spending = this.#spending;
    return this.#db.change("power", function* () {
      yield* fence(executionId);
      yield* holdExecution(executionId, pause);
      yield* spending.bookKept(executionId);
    });
  }
}

/** The wait before the first retry of a stopped trigger. */
const FIRST_TRY_MS = HOUR_MS;
/** The maximum length of the last error in the reason of a stop, in characters. */
const MAX_ERROR_LENGTH = 200;

/**
 * Counts a successful or failed run, in the transaction that ends it. Returns the new state of the agent's trigger, or
 * undefined if the state does not change.
 */
function* countVerdict(
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
  // The trigger is already stopped, and the time of its next retry is set.
  if (counted === undefined || counted.reason !== null) return undefined;
  if (counted.failures < maxFailures) return undefined;
  const times = counted.failures === 1 ? "A run" : `${counted.failures} runs in a row`;
  const reason = `${times} failed, the last one (execution ${id}) with ${status}: ` +
    toPlainLine(error ?? "", MAX_ERROR_LENGTH);
  const retryAt = (finishedAt ?? 0) + FIRST_TRY_MS;
  yield* send(
    "UPDATE trigger_states SET reason = ?, retry_at = ? WHERE agent_id = ?",
    reason,
    retryAt,
    agentId,
  );
  return { reason, stop: { by: "failures", retryAt, print } };
}
