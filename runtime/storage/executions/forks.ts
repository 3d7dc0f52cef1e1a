// Copies the first steps of an execution to a fork, in the transaction that accepts the fork.
import { ForkedStepsGone } from "../../executions/refusals.ts";
import type { CopiedSteps } from "../../executions/record/acceptance_store.ts";
import { newestFrameId } from "../frames.ts";
import { insertMessages, replaceMessage } from "./conversation_rows.ts";
import { type Operation, run, send } from "../../database/operation.ts";

/**
 * Copies messages and finished tool calls to a fork. The last frame in the fork's log marks the copied results as logged.
 * Returns the number of copied calls, which count toward the call limit. Throws ForkedStepsGone if a message is missing.
 */
export function* copySteps(
  executionId: number,
  { executionId: from, end, count, prompt, message }: CopiedSteps,
): Operation<number> {
  // Calls are copied before the messages. A purge removes both, so the check of the messages also covers the calls.
  const calls = yield* run(
    "INSERT INTO tool_calls (execution_id, position, tool_call_id, name, arguments, effect, " +
      "started_at, duration_ms, is_error, frame_id) SELECT ?1, position, tool_call_id, name, " +
      `arguments, effect, started_at, duration_ms, is_error, ${
        newestFrameId("?1")
      } FROM tool_calls ` +
      "WHERE execution_id = ?2 AND position < ?3",
    executionId,
    from,
    end,
  );
  const copied = yield* run(
    "INSERT INTO messages (execution_id, position, role, body, seeded, terms) " +
      "SELECT ?1, position, role, body, seeded, terms FROM messages " +
      "WHERE execution_id = ?2 AND position < ?3 ORDER BY position",
    executionId,
    from,
    end,
  );
  if (copied !== count) throw new ForkedStepsGone();
  yield* send("UPDATE executions SET tool_calls = ? WHERE id = ?", calls, executionId);
  if (prompt !== undefined) yield* replaceMessage(executionId, prompt);
  if (message?.replaces) yield* replaceMessage(executionId, message);
  else if (message !== undefined) yield* insertMessages(executionId, [message]);
  return calls;
}
