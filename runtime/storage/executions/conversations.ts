// Stores conversations: the opening messages, replies, tool calls and results. Also reads the messages from which a later
// conversation starts.
import type { FrameDraft } from "../../events/frame.ts";
import type {
  CallIntent,
  ConversationStore,
  RecordedOpening,
  RecordedReply,
  RecordedResult,
  ReplacedSystem,
  Seed,
  SeededExecution,
  StoredConversation,
} from "../../executions/record/conversation_store.ts";
import type { PlacedMessage } from "../../executions/record/conversation.ts";
import type { Execution } from "../../executions/execution.ts";
import type { DescribedCall } from "../../executions/record/call_preview.ts";
import { SpendingTable } from "../../executions/budget/spending_table.ts";
import { bucketOf } from "./buckets.ts";
import {
  insertCalls,
  insertMessages,
  replaceMessage,
  selectCalls,
  selectMessages,
} from "./conversation_rows.ts";
import type { Database } from "../../database/database.ts";
import {
  ADD_FIGURES,
  EXECUTION_COLUMNS,
  type ExecutionRow,
  figuresOf,
  OPEN,
  requireExecution,
  toExecution,
} from "./execution_rows.ts";
import { selectDelegated } from "./families.ts";
import { appendFrames, newestFrameId } from "../frames.ts";
import { selectAnswers } from "./request_rows.ts";
import { fence, get, send } from "../../database/operation.ts";

/** Stores and reads the conversations of one database. */
export class SqlConversationStore implements ConversationStore {
  readonly #db: Database;

  readonly #spending: SpendingTable;

  constructor(db: Database, spending = new SpendingTable()) {
    this.#db = db;
    this.#spending = spending;
  }

  beginConversation(executionId: number, opening: RecordedOpening): Promise<void> {
    return this.#db.change("process", function* () {
      yield* fence(executionId);
      const { messages, terms } = opening;
      // The messages that the request brought are among the new ones.
      if (opening.replacesGiven) {
        yield* send("DELETE FROM messages WHERE execution_id = ?", executionId);
      }
      yield* insertMessages(executionId, messages, terms);
      yield* appendFrames(executionId, opening.frames);
    });
  }

  replaceSystem(executionId: number, { message, frame }: ReplacedSystem): Promise<void> {
    return this.#db.change("process", function* () {
      yield* fence(executionId);
      yield* replaceMessage(executionId, message);
      yield* appendFrames(executionId, [frame]);
    });
  }

  addMessage(
    executionId: number,
    { message, frame }: { message: PlacedMessage; frame: FrameDraft },
  ): Promise<void> {
    return this.#db.change("process", function* () {
      yield* fence(executionId);
      yield* insertMessages(executionId, [message]);
      yield* appendFrames(executionId, [frame]);
    });
  }

  addFrame(executionId: number, frame: FrameDraft): Promise<void> {
    return this.#db.change("process", function* () {
      yield* fence(executionId);
      yield* appendFrames(executionId, [frame]);
    });
  }

  recordReply(executionId: number, reply: RecordedReply): Promise<Execution> {
    const spending = this.#spending;
    return this.#db.change("process", function* () {
      yield* fence(executionId);
      yield* insertMessages(executionId, [reply.message], reply.terms);
      yield* insertCalls(executionId, reply.calls);
      const row = yield* get<ExecutionRow>(
        `UPDATE executions SET ${ADD_FIGURES} WHERE id = ? RETURNING ${EXECUTION_COLUMNS}`,
        ...figuresOf(reply, reply.calls.length),
        executionId,
      );
      const figures = requireExecution(row);
      yield* appendFrames(executionId, reply.frames(figures));
      yield* spending.bookKept(executionId);
      return figures;
    });
  }

  startCall(executionId: number, call: CallIntent): Promise<void> {
    return this.#db.change(call.effect === "unsafe" ? "power" : "process", function* () {
      yield* fence(executionId);
      yield* send(
        "UPDATE tool_calls SET effect = ?, started_at = ? WHERE execution_id = ? AND position = ?",
        call.effect,
        call.startedAt,
        executionId,
        call.position,
      );
    });
  }

  resetCall(executionId: number, position: number): Promise<void> {
    return this.#db.change("process", function* () {
      yield* fence(executionId);
      yield* send(
        "UPDATE tool_calls SET started_at = NULL WHERE execution_id = ? AND position = ?",
        executionId,
        position,
      );
    });
  }

  finishCall(executionId: number, result: RecordedResult): Promise<void> {
    return this.#db.change(result.effect === "unsafe" ? "power" : "process", function* () {
      yield* fence(executionId);
      yield* insertMessages(executionId, [result.message]);
      const { message: { position }, intent, durationMs, described } = result;
      const newest = newestFrameId("?1");
      const finish = (isLogged: boolean) =>
        send(
          "UPDATE tool_calls SET effect = coalesce(effect, ?3), started_at = coalesce(started_at, ?4), " +
            `duration_ms = ?5, described = ?6, frame_id = CASE WHEN ?7 THEN ${newest} END ` +
            "WHERE execution_id = ?1 AND position = ?2",
          executionId,
          position,
          intent?.effect ?? null,
          intent?.startedAt ?? null,
          durationMs,
          described === undefined ? null : JSON.stringify(described),
          isLogged ? 1 : 0,
        );
      let isFinished = false;
      for (const call of yield* selectCalls(executionId, { unlogged: true })) {
        if (call.result === null) break;
        const isOwn = call.position === position;
        const finished = isOwn
          ? { ...call, ...(described && { described }), result: { ...call.result, durationMs } }
          : { ...call, result: call.result };
        yield* appendFrames(executionId, [result.frame(finished)]);
        yield* isOwn ? finish(true) : send(
          `UPDATE tool_calls SET frame_id = ${newest} WHERE execution_id = ?1 AND position = ?2`,
          executionId,
          call.position,
        );
        isFinished ||= isOwn;
      }
      if (!isFinished) yield* finish(false);
      if (result.instructions !== undefined) {
        yield* insertMessages(executionId, [result.instructions.message]);
        yield* appendFrames(executionId, [result.instructions.frame]);
      }
    });
  }

  readDescribed(executionId: number): Promise<DescribedCall[]> {
    return this.#db.read(function* () {
      const calls = yield* selectCalls(executionId, { unlogged: false });
      return calls.flatMap(({ described }) => described ?? []).filter(({ isDone }) => !isDone);
    });
  }

  readConversation(executionId: number): Promise<StoredConversation> {
    return this.#db.read(function* () {
      return {
        messages: yield* selectMessages(executionId),
        calls: yield* selectCalls(executionId, { unlogged: false }),
        answers: yield* selectAnswers(executionId),
        delegated: yield* selectDelegated(executionId),
      };
    });
  }

  readSeed(execution: SeededExecution): Promise<Seed | undefined> {
    return this.#db.read(function* () {
      const { condition, values } = bucketOf(execution);
      const row = yield* get<ExecutionRow>(
        `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE ${condition} AND id < ? ` +
          `AND status NOT IN ${OPEN} ` +
          "AND EXISTS (SELECT 1 FROM messages WHERE execution_id = executions.id) " +
          "ORDER BY id DESC LIMIT 1",
        ...values,
        execution.id,
      );
      return row && {
        execution: toExecution(row),
        messages: (yield* selectMessages(row.id)).map(({ message }) => message),
      };
    });
  }
}
