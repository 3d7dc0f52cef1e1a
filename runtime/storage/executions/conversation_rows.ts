// The tables of messages and tool calls.
import type { RecordedTerms } from "../../executions/record/call_terms.ts";
import type { PlacedMessage, PlannedCall } from "../../executions/record/conversation.ts";
import type { StoredCall } from "../../executions/record/conversation_store.ts";
import type { Message, ToolMessage } from "../../models/message.ts";
import type { DescribedCall } from "../../executions/record/call_preview.ts";
import type { Effect } from "../../tools/definition/tool.ts";
import { storeTerms } from "./call_terms.ts";
import { all, insertRows, type Operation, send } from "../../database/operation.ts";

interface CallRow {
  position: number;
  tool_call_id: string;
  name: string;
  arguments: string;
  effect: Effect | null;
  started_at: number | null;
  duration_ms: number | null;
  frame_id: number | null;
  described: string | null;
  /** The JSON of the result message; null without a result. */
  body: string | null;
}

/** Stores messages in the open transaction, and the settings and tools of the model call that produced the last message. */
export function* insertMessages(
  executionId: number,
  messages: readonly (PlacedMessage & { seeded?: boolean })[],
  terms?: RecordedTerms,
): Operation<void> {
  const last = messages.at(-1);
  yield* insertRows(
    "INSERT INTO messages (execution_id, position, role, body, seeded, terms)",
    messages.map((one) => [
      executionId,
      one.position,
      one.message.role,
      JSON.stringify(one.message),
      one.seeded ? 1 : 0,
      one === last && terms !== undefined ? terms.packed.terms.digest : null,
    ]),
  );
  // The settings and tools (`terms`) are stored after their message, because removeUnusedTerms() removes terms to which no
  // message refers.
  if (terms?.isNew) yield* storeTerms(terms.packed);
}

/** Replaces the stored message at the same position of the execution. */
export function* replaceMessage(
  executionId: number,
  { position, message }: PlacedMessage,
): Operation<void> {
  yield* send(
    "UPDATE messages SET role = ?, body = ? WHERE execution_id = ? AND position = ?",
    message.role,
    JSON.stringify(message),
    executionId,
    position,
  );
}

/** Stores the tool calls that a reply of the model requested. */
export function* insertCalls(executionId: number, calls: readonly PlannedCall[]): Operation<void> {
  yield* insertRows(
    "INSERT INTO tool_calls (execution_id, position, tool_call_id, name, arguments)",
    calls.map((call) => [
      executionId,
      call.position,
      call.toolCallId,
      call.name,
      call.arguments,
    ]),
  );
}

/** Returns the messages of an execution in order. */
export function* selectMessages(executionId: number): Operation<PlacedMessage[]> {
  return (yield* all<{ position: number; body: string }>(
    "SELECT position, body FROM messages WHERE execution_id = ? ORDER BY position",
    executionId,
  )).map(({ position, body }) => ({ position, message: JSON.parse(body) as Message }));
}

/** Returns the tool calls of an execution in order. With `unlogged`, returns only calls without a result in the log. */
export function* selectCalls(
  executionId: number,
  options: { unlogged: boolean },
): Operation<StoredCall[]> {
  return (yield* all<CallRow>(
    "SELECT c.position, c.tool_call_id, c.name, c.arguments, c.effect, c.started_at, " +
      "c.duration_ms, c.frame_id, c.described, m.body FROM tool_calls c LEFT JOIN messages m " +
      "ON m.execution_id = c.execution_id AND m.position = c.position " +
      `WHERE c.execution_id = ?${options.unlogged ? " AND c.frame_id IS NULL" : ""} ` +
      "ORDER BY c.position",
    executionId,
  )).map(toCall);
}

function toCall(row: CallRow): StoredCall {
  return {
    position: row.position,
    toolCallId: row.tool_call_id,
    name: row.name,
    arguments: row.arguments,
    effect: row.effect,
    startedAt: row.started_at,
    result: row.body === null ? null : toResult(row.body, row.duration_ms ?? 0),
    ...(row.described !== null && { described: JSON.parse(row.described) as DescribedCall[] }),
    logged: row.frame_id !== null,
  };
}

function toResult(body: string, durationMs: number): NonNullable<StoredCall["result"]> {
  const { content, isError } = JSON.parse(body) as ToolMessage;
  return { content, isError, durationMs };
}
