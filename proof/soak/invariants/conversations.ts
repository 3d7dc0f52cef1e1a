// Invariants of conversations and tool calls: every call has a position, at most one result, and a frame that reports the
// call.
import { type Invariant, isKept, rule } from "./invariant.ts";

export const CONVERSATIONS: readonly Invariant[] = [
  rule(
    "every result is at the position of its call",
    "SELECT m.execution_id, m.position, json_extract(m.body, '$.toolCallId') AS result_of, c.tool_call_id " +
      "FROM messages m LEFT JOIN tool_calls c ON c.execution_id = m.execution_id AND c.position = m.position " +
      "WHERE m.execution_id >= ?1 AND m.role = 'tool' AND m.seeded = 0 " +
      "AND c.tool_call_id IS NOT json_extract(m.body, '$.toolCallId')",
  ),
  rule(
    "every call of an execution that succeeded has its result",
    "SELECT c.execution_id, c.position, c.name, c.frame_id FROM tool_calls c JOIN executions e " +
      "ON e.id = c.execution_id AND e.status = 'success' WHERE e.id >= ?1 AND (c.frame_id IS NULL " +
      "OR NOT EXISTS (SELECT 1 FROM messages m WHERE m.execution_id = c.execution_id AND m.position = c.position))",
  ),
  rule(
    "a call's frame reports the call",
    "SELECT c.execution_id, c.position, c.tool_call_id, c.frame_id, f.payload FROM tool_calls c " +
      "LEFT JOIN frames f ON f.id = c.frame_id WHERE c.execution_id >= ?1 AND c.frame_id IS NOT NULL " +
      "AND (f.execution_id IS NOT c.execution_id OR f.event IS NOT 'tool_result' " +
      "OR json_extract(f.payload, '$.tool_call_id') IS NOT c.tool_call_id)",
  ),
  rule(
    "each tool_result frame belongs to one call",
    "SELECT f.execution_id, f.id, count(c.position) AS calls FROM frames f LEFT JOIN tool_calls c " +
      "ON c.execution_id = f.execution_id AND c.frame_id = f.id WHERE f.execution_id >= ?1 " +
      `AND f.event = 'tool_result' AND ${
        isKept("f.execution_id")
      } GROUP BY f.id HAVING count(c.position) <> 1`,
  ),
  rule(
    "results are reported in the order of the calls",
    "SELECT c.execution_id, c.position, c.frame_id, b.position AS earlier, b.frame_id AS told FROM tool_calls c " +
      "JOIN tool_calls b ON b.execution_id = c.execution_id AND b.position = " +
      "(SELECT max(position) FROM tool_calls WHERE execution_id = c.execution_id AND position < c.position) " +
      "WHERE c.execution_id >= ?1 AND c.frame_id IS NOT NULL AND (b.frame_id IS NULL OR b.frame_id >= c.frame_id)",
  ),
  rule(
    "every call follows the reply that requested it",
    "SELECT c.execution_id, c.position, c.name FROM tool_calls c WHERE c.execution_id >= ?1 AND NOT EXISTS " +
      "(SELECT 1 FROM messages m, json_each(m.body, '$.toolCalls') one WHERE m.execution_id = c.execution_id " +
      "AND m.role = 'assistant' AND m.position + 1 + one.key = c.position " +
      "AND json_extract(one.value, '$.id') = c.tool_call_id)",
  ),
];
