// Stores the ends of executions.
import { COST_PLACES } from "../../../base/cost.ts";
import type { Ending, EndingStore, Rest } from "../../executions/record/ending_store.ts";
import type { Resumption } from "../../executions/record/resumption.ts";
import { type EventMessages, NO_MESSAGES } from "../outbox.ts";
import type { Database } from "../../database/database.ts";
import { EXECUTION_COLUMNS, type ExecutionRow, toExecution } from "./execution_rows.ts";
import { insertFollowUps } from "../follow_ups.ts";
import { appendFrames } from "../frames.ts";
import { countVerdict } from "../trigger_states.ts";
import { voidRequests } from "./request_rows.ts";
import { resumeAncestors } from "./waiting.ts";
import { isAlive } from "../../database/instances.ts";
import { fence, get, type Operation, run } from "../../database/operation.ts";

/** Fences off the execution, so that no former or new owner can write to it. Returns false if a living node runs it. */
function* fenceOffOwner(id: number): Operation<boolean> {
  const changed = yield* run(
    "UPDATE executions SET epoch = epoch + 1, job = NULL WHERE id = ? AND status = 'running' " +
      `AND (instance_id IS NULL OR NOT ${isAlive("executions.instance_id")})`,
    id,
  );
  return changed > 0;
}

/** Stores ends. A waiting parent runs again, owned by `ownerId`, or by no instance until a node claims it (null). */
export class SqlEndingStore implements EndingStore {
  readonly #db: Database;
  readonly #ownerId: string | null;
  readonly #messages: EventMessages;

  constructor(db: Database, ownerId: string | null, messages: EventMessages = NO_MESSAGES) {
    this.#db = db;
    this.#ownerId = ownerId;
    this.#messages = messages;
  }

  finishExecution(executionId: number, planned: Ending): Promise<Resumption | undefined> {
    const ownerId = this.#ownerId;
    const messages = this.#messages;
    return this.#db.change("power", function* () {
      let wanted: string | null = null;
      if (planned.isUnclaimed) {
        if (!(yield* fenceOffOwner(executionId))) return undefined;
        // Any node may end a waiting execution, because it has no owner.
      } else if (planned.from === "running") wanted = yield* fence(executionId);
      const ending = planned.insteadOf?.(wanted) ?? planned;
      const row = yield* get<ExecutionRow>(
        "UPDATE executions SET status = ?1, error = ?2, output_data = ?3, finished_at = ?4, " +
          "duration_ms = coalesce(duration_ms, 0) + ?5, tool_calls = tool_calls - ?12, " +
          "input_tokens = input_tokens + ?6, output_tokens = output_tokens + ?7, " +
          "total_tokens = CASE WHEN ?8 THEN coalesce(total_tokens, 0) + ?6 + ?7 ELSE total_tokens END, " +
          `cost_usd = coalesce(round(coalesce(cost_usd, 0) + ?9, ${COST_PLACES}), cost_usd) ` +
          `WHERE id = ?10 AND status = ?11 RETURNING ${EXECUTION_COLUMNS}`,
        ending.status,
        ending.error,
        ending.output,
        ending.finishedAt,
        ending.durationMs,
        ending.cut?.inputTokens ?? 0,
        ending.cut?.outputTokens ?? 0,
        ending.cut === undefined ? 0 : 1,
        ending.cut?.costUsd ?? null,
        executionId,
        ending.from,
        ending.refusedCalls ?? 0,
      );
      if (row === undefined) return undefined;
      yield* voidRequests(executionId, ending.finishedAt);
      const execution = toExecution(row);
      yield* appendFrames(executionId, ending.frames(execution));
      yield* messages.record({ type: "ended", execution, output: ending.output });
      const trigger = ending.verdict && (yield* countVerdict(execution, ending.verdict));
      if (trigger !== undefined && trigger !== "running") {
        const { agentId, displayName } = execution;
        yield* messages.record({ type: "stopped", agentId, displayName, ...trigger });
      }
      yield* insertFollowUps(executionId, ending.followers ?? []);
      // The parent of a running execution runs, too, and needs no wake-up.
      const ancestors = ending.from === "waiting"
        ? yield* resumeAncestors(executionId, ownerId)
        : [];
      return { execution, ancestors, ...(trigger && { trigger }) };
    });
  }

  restExecution(executionId: number, { durationMs, retry }: Rest): Promise<void> {
    return this.#db.change("power", function* () {
      yield* fence(executionId);
      yield* run(
        "UPDATE executions SET duration_ms = coalesce(duration_ms, 0) + ?, retry = coalesce(?, retry) " +
          "WHERE id = ? AND status = 'running'",
        durationMs,
        retry === undefined ? null : JSON.stringify(retry.planned),
        executionId,
      );
      yield* appendFrames(executionId, retry === undefined ? [] : [retry.frame]);
    });
  }
}
