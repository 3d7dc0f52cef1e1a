// Executions in SQLite: every change of one, whole, in one transaction.
import type { Execution } from "../executions/execution.ts";
import type {
  Acceptance,
  Ending,
  ExecutionStore,
  FinishedCall,
  NewExecution,
  OpeningRequest,
  PlacedMessage,
  RecordedReply,
  Resumption,
} from "../executions/execution_store.ts";
import type { HumanAnswer, HumanRequest } from "../executions/human_request.ts";
import type { FrameDraft } from "../events/frame.ts";
import type { Effect } from "../tools/tool.ts";
import { type AcceptanceTerms, insertExecution } from "./acceptance.ts";
import { insertCall, insertMessage, selectCalls } from "./conversations.ts";
import type { Database } from "./database.ts";
import { SqliteExecutionReads } from "./execution_reads.ts";
import { EXECUTION_COLUMNS, type ExecutionRow, toExecution } from "./execution_rows.ts";
import { appendFrames } from "./frames.ts";
import { isWaiting, wakeAncestors } from "./lineage.ts";
import { closeRequest, insertRequest, selectOpenRequest, voidRequests } from "./requests.ts";

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
    options: AcceptanceTerms & { frames: (execution: Execution) => FrameDraft[] },
  ): Promise<Acceptance> {
    return this.#change("power", () => {
      const acceptance = insertExecution(this.#db, wanted, {
        ...options,
        instanceId: this.#instanceId,
      });
      if ("execution" in acceptance && acceptance.isNew) {
        const { execution } = acceptance;
        appendFrames(this.#db, execution.id, options.frames(execution));
      }
      return acceptance;
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
      instructions?: { message: PlacedMessage; frame: FrameDraft };
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
      if (result.instructions !== undefined) {
        insertMessage(this.#db, executionId, result.instructions.message);
        appendFrames(this.#db, executionId, [result.instructions.frame]);
      }
    });
  }

  resetCall(executionId: number, position: number): Promise<void> {
    return this.#change("process", () => {
      this.#db.run(
        "UPDATE tool_calls SET started_at = NULL WHERE execution_id = ? AND position = ?",
        executionId,
        position,
      );
    });
  }

  openRequest(executionId: number, opening: OpeningRequest): Promise<Execution> {
    return this.#change("power", () => {
      insertRequest(this.#db, opening.request);
      return this.#pause(executionId, opening);
    });
  }

  waitForChild(
    executionId: number,
    waiting: {
      childId: number;
      durationMs: number;
      frames: (request: HumanRequest) => FrameDraft[];
    },
  ): Promise<{ execution: Execution; request: HumanRequest } | undefined> {
    return this.#change("power", () => {
      // One that runs wakes nobody when it ends, whatever waits below it.
      if (!isWaiting(this.#db, waiting.childId)) return undefined;
      const request = selectOpenRequest(this.#db, executionId);
      if (request === undefined) throw new TypeError("An execution waits for nothing");
      const { durationMs } = waiting;
      const frames = waiting.frames(request);
      return { execution: this.#pause(executionId, { durationMs, frames }), request };
    });
  }

  answerRequest(
    executionId: number,
    answer: {
      requestId: string;
      answer: HumanAnswer;
      answeredAt: number;
      frames: (execution: Execution) => FrameDraft[];
    },
  ): Promise<Resumption | undefined> {
    return this.#change("power", () => {
      if (!closeRequest(this.#db, executionId, answer)) return undefined;
      const row = this.#db.get<ExecutionRow>(
        "UPDATE executions SET status = 'running', instance_id = ? " +
          `WHERE id = ? AND status = 'waiting' RETURNING ${EXECUTION_COLUMNS}`,
        this.#instanceId,
        executionId,
      );
      const execution = toExecution(inserted(row));
      const ancestors = wakeAncestors(this.#db, executionId, this.#instanceId);
      for (const one of [execution, ...ancestors]) {
        appendFrames(this.#db, one.id, answer.frames(one));
      }
      return { execution, ancestors };
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

  finishExecution(executionId: number, ending: Ending): Promise<Resumption | undefined> {
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
      const execution = toExecution(row);
      appendFrames(this.#db, executionId, ending.frames(execution));
      // One that runs is waited for by nobody who would have to be woken: its parent runs, too.
      const ancestors = ending.from === "waiting"
        ? wakeAncestors(this.#db, executionId, this.#instanceId)
        : [];
      return { execution, ancestors };
    });
  }

  /** Lets a running execution wait, as part of the transaction that is open. */
  #pause(executionId: number, pause: { durationMs: number; frames: FrameDraft[] }): Execution {
    const row = this.#db.get<ExecutionRow>(
      "UPDATE executions SET status = 'waiting', duration_ms = coalesce(duration_ms, 0) + ? " +
        `WHERE id = ? AND status = 'running' RETURNING ${EXECUTION_COLUMNS}`,
      pause.durationMs,
      executionId,
    );
    appendFrames(this.#db, executionId, pause.frames);
    return toExecution(inserted(row));
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
