// Executions in SQLite: every change of one, whole, in one transaction.
import type { Execution } from "../executions/execution.ts";
import type {
  Ending,
  ExecutionStore,
  FinishedCall,
  NewExecution,
  OpeningRequest,
  PlacedMessage,
  RecordedReply,
} from "../executions/execution_store.ts";
import type { HumanAnswer } from "../executions/human_request.ts";
import type { FrameDraft } from "../events/frame.ts";
import type { Effect } from "../tools/tool.ts";
import { bucketOf, isBucketWaiting } from "./buckets.ts";
import { insertCall, insertMessage, selectCalls } from "./conversations.ts";
import type { Database } from "./database.ts";
import { SqliteExecutionReads } from "./execution_reads.ts";
import { EXECUTION_COLUMNS, type ExecutionRow, toExecution } from "./execution_rows.ts";
import { appendFrames } from "./frames.ts";
import { closeRequest, insertRequest, voidRequests } from "./requests.ts";

const IDEMPOTENCY_MS = 24 * 3_600_000;

/** The executions of one service instance. */
export class SqliteExecutionStore extends SqliteExecutionReads implements ExecutionStore {
  readonly #db: Database;
  readonly #instanceId: string;

  constructor(db: Database, instanceId: string) {
    super(db, instanceId);
    this.#db = db;
    this.#instanceId = instanceId;
  }

  acceptExecution(
    wanted: NewExecution,
    options: {
      idempotencyKey?: string;
      unlessWaiting: boolean;
      frames: (execution: Execution) => FrameDraft[];
    },
  ): Promise<{ execution: Execution; isNew: boolean } | undefined> {
    return this.#change("power", () => {
      const known = this.#findByKey(options.idempotencyKey, wanted.startedAt);
      if (known !== undefined) return { execution: known, isNew: false };
      if (options.unlessWaiting && isBucketWaiting(this.#db, bucketOf(wanted))) return undefined;
      const row = this.#db.get<ExecutionRow>(
        "INSERT INTO executions (agent_id, display_name, status, trigger, parent_execution_id, " +
          "depth, session_id, instance_id, request, model, started_at) " +
          `VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${EXECUTION_COLUMNS}`,
        wanted.agentId,
        wanted.displayName,
        wanted.trigger,
        wanted.parentExecutionId,
        wanted.depth,
        wanted.sessionId,
        this.#instanceId,
        JSON.stringify(wanted.request),
        wanted.model,
        wanted.startedAt,
      );
      const execution = toExecution(inserted(row));
      if (options.idempotencyKey !== undefined) {
        this.#db.run(
          "INSERT OR REPLACE INTO idempotency_keys (key, execution_id, created_at) VALUES (?, ?, ?)",
          options.idempotencyKey,
          execution.id,
          wanted.startedAt,
        );
      }
      appendFrames(this.#db, execution.id, options.frames(execution));
      return { execution, isNew: true };
    });
  }

  beginConversation(
    executionId: number,
    opening: { messages: (PlacedMessage & { seeded: boolean })[]; frames: FrameDraft[] },
  ): Promise<void> {
    return this.#change("process", () => {
      for (const message of opening.messages) insertMessage(this.#db, executionId, message);
      appendFrames(this.#db, executionId, opening.frames);
    });
  }

  recordReply(executionId: number, reply: RecordedReply): Promise<Execution> {
    return this.#change("process", () => {
      insertMessage(this.#db, executionId, reply.message);
      for (const call of reply.calls) insertCall(this.#db, executionId, call);
      const { usage } = reply;
      const row = this.#db.get<ExecutionRow>(
        "UPDATE executions SET input_tokens = input_tokens + ?1, output_tokens = output_tokens + ?2, " +
          "total_tokens = CASE WHEN ?3 THEN coalesce(total_tokens, 0) + ?1 + ?2 ELSE total_tokens END, " +
          "cost_usd = CASE WHEN ?4 IS NULL THEN cost_usd ELSE coalesce(cost_usd, 0) + ?4 END, " +
          "tool_calls = tool_calls + ?5, duration_ms = coalesce(duration_ms, 0) + ?6 " +
          `WHERE id = ?7 RETURNING ${EXECUTION_COLUMNS}`,
        usage?.inputTokens ?? 0,
        usage?.outputTokens ?? 0,
        usage === null ? 0 : 1,
        reply.costUsd,
        reply.calls.length,
        reply.durationMs,
        executionId,
      );
      const figures = toExecution(inserted(row));
      appendFrames(this.#db, executionId, reply.frames(figures));
      return figures;
    });
  }

  startCall(
    executionId: number,
    call: { position: number; effect: Effect; startedAt: number },
  ): Promise<void> {
    return this.#change(call.effect === "unsafe" ? "power" : "process", () => {
      this.#db.run(
        "UPDATE tool_calls SET effect = ?, started_at = ? WHERE execution_id = ? AND position = ?",
        call.effect,
        call.startedAt,
        executionId,
        call.position,
      );
    });
  }

  finishCall(
    executionId: number,
    result: {
      message: PlacedMessage;
      effect: Effect;
      durationMs: number;
      frame: (call: FinishedCall) => FrameDraft;
    },
  ): Promise<void> {
    return this.#change(result.effect === "unsafe" ? "power" : "process", () => {
      insertMessage(this.#db, executionId, result.message);
      this.#db.run(
        "UPDATE tool_calls SET duration_ms = ? WHERE execution_id = ? AND position = ?",
        result.durationMs,
        executionId,
        result.message.position,
      );
      for (const call of selectCalls(this.#db, executionId, { unlogged: true })) {
        if (call.result === null) break;
        const finished = { ...call, result: call.result };
        const frameId = appendFrames(this.#db, executionId, [result.frame(finished)]);
        this.#db.run(
          "UPDATE tool_calls SET frame_id = ? WHERE execution_id = ? AND position = ?",
          frameId,
          executionId,
          call.position,
        );
      }
    });
  }

  openRequest(executionId: number, opening: OpeningRequest): Promise<Execution> {
    return this.#change("power", () => {
      insertRequest(this.#db, opening.request);
      const row = this.#db.get<ExecutionRow>(
        "UPDATE executions SET status = 'waiting', duration_ms = coalesce(duration_ms, 0) + ? " +
          `WHERE id = ? AND status = 'running' RETURNING ${EXECUTION_COLUMNS}`,
        opening.durationMs,
        executionId,
      );
      appendFrames(this.#db, executionId, opening.frames);
      return toExecution(inserted(row));
    });
  }

  answerRequest(
    executionId: number,
    answer: { requestId: string; answer: HumanAnswer; answeredAt: number; frames: FrameDraft[] },
  ): Promise<Execution | undefined> {
    return this.#change("power", () => {
      if (!closeRequest(this.#db, executionId, answer)) return undefined;
      const row = this.#db.get<ExecutionRow>(
        "UPDATE executions SET status = 'running', instance_id = ? " +
          `WHERE id = ? AND status = 'waiting' RETURNING ${EXECUTION_COLUMNS}`,
        this.#instanceId,
        executionId,
      );
      appendFrames(this.#db, executionId, answer.frames);
      return toExecution(inserted(row));
    });
  }

  adoptExecution(executionId: number): Promise<void> {
    return this.#change("power", () => {
      this.#db.run(
        "UPDATE executions SET instance_id = ? WHERE id = ? AND status = 'running'",
        this.#instanceId,
        executionId,
      );
    });
  }

  finishExecution(executionId: number, ending: Ending): Promise<Execution | undefined> {
    return this.#change("power", () => {
      const row = this.#db.get<ExecutionRow>(
        "UPDATE executions SET status = ?, error = ?, output_data = ?, finished_at = ?, " +
          "duration_ms = coalesce(duration_ms, 0) + ? " +
          `WHERE id = ? AND status = ? RETURNING ${EXECUTION_COLUMNS}`,
        ending.status,
        ending.error,
        ending.output,
        ending.finishedAt,
        ending.durationMs,
        executionId,
        ending.from,
      );
      if (row === undefined) return undefined;
      voidRequests(this.#db, executionId, ending.finishedAt);
      const ended = toExecution(row);
      appendFrames(this.#db, executionId, ending.frames(ended));
      return ended;
    });
  }

  #findByKey(key: string | undefined, now: number): Execution | undefined {
    if (key === undefined) return undefined;
    const row = this.#db.get<ExecutionRow>(
      `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE id = ` +
        "(SELECT execution_id FROM idempotency_keys WHERE key = ? AND created_at > ?)",
      key,
      now - IDEMPOTENCY_MS,
    );
    return row && toExecution(row);
  }

  /** A transaction whose failure is a rejected promise, as callers of an asynchronous port expect. */
  #change<T>(durability: "process" | "power", body: () => T): Promise<T> {
    return new Promise((resolve) => resolve(this.#db.transaction(durability, body)));
  }
}

function inserted(row: ExecutionRow | undefined): ExecutionRow {
  if (row === undefined) throw new TypeError("The statement returned no execution");
  return row;
}
