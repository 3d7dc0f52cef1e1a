// The tables of messages and tool calls.
import type { RecordedTerms } from "../../executions/record/call_terms.ts";
import type { PlacedMessage, PlannedCall } from "../../executions/record/conversation.ts";
import type { StoredCall } from "../../executions/record/conversation_store.ts";
import type { Message, ToolMessage } from "../../models/message.ts";
import type { DescribedCall } from "../../executions/record/call_preview.ts";
import { storeTerms } from "./call_terms.ts";
import { all, insertRows, type Operation, send } from "../../database/operation.ts";

type CallRow = Omit<StoredCall, "result" | "described" | "logged"> & {
  durationMs: number | null;
  frameId: number | null;
  described: string | null;
  /** The JSON of the result message; null without a result. */
  body: string | null;
};

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
    "SELECT c.position, c.tool_call_id AS toolCallId, c.name, c.arguments, c.effect, " +
      "c.started_at AS startedAt, c.duration_ms AS durationMs, c.frame_id AS frameId, c.described, m.body " +
      "FROM tool_calls c LEFT JOIN messages m " +
      "ON m.execution_id = c.execution_id AND m.position = c.position " +
      `WHERE c.execution_id = ?${options.unlogged ? " AND c.frame_id IS NULL" : ""} ` +
      "ORDER BY c.position",
    executionId,
  )).map(toCall);
}

function toCall({ durationMs, frameId, described, body, ...call }: CallRow): StoredCall {
  return {
    ...call,
    result: body === null ? null : toResult(body, durationMs ?? 0),
    ...(described !== null && { described: JSON.parse(described) as DescribedCall[] }),
    logged: frameId !== null,
  };
}

function toResult(body: string, durationMs: number): NonNullable<StoredCall["result"]> {
  const { content, isError } = JSON.parse(body) as ToolMessage;
  return { content, isError, durationMs };
}
