// Invariants of questions to people: a question is open exactly while its execution waits, and is answered at most once.
import { type Invariant, isKept, rule } from "./invariant.ts";

export const REQUESTS: readonly Invariant[] = [
  rule(
    "every open request belongs to a waiting execution",
    "SELECT r.request_id, r.execution_id, e.status FROM requests r LEFT JOIN executions e ON e.id = r.execution_id " +
      "WHERE r.execution_id >= ?1 AND r.answered_at IS NULL AND e.status IS NOT 'waiting'",
  ),
  rule(
    "every waiting execution, or an execution below it, has an open request",
    "SELECT e.id, e.agent_id FROM executions e WHERE e.id >= ?1 AND e.status = 'waiting' AND NOT EXISTS (" +
      "WITH RECURSIVE below (id) AS (SELECT e.id UNION ALL SELECT c.id FROM executions c " +
      "JOIN below ON c.parent_execution_id = below.id) " +
      "SELECT 1 FROM requests r JOIN below ON below.id = r.execution_id WHERE r.answered_at IS NULL)",
  ),
  rule(
    "every answer has a time, not before its request",
    "SELECT request_id, execution_id, created_at, answered_at FROM requests WHERE execution_id >= ?1 " +
      "AND (response IS NOT NULL AND answered_at IS NULL OR answered_at < created_at - ?2)",
  ),
  rule(
    "each request has one frame in the asking execution",
    "SELECT r.request_id, r.execution_id, (SELECT count(*) FROM frames f WHERE f.execution_id = r.execution_id " +
      "AND f.event = 'interrupt' AND json_extract(f.payload, '$.request_id') = r.request_id) AS told " +
      "FROM requests r WHERE r.execution_id >= ?1 AND told <> 1",
  ),
  rule(
    "without delegation, an execution has one human frame for its task and each answer",
    "SELECT e.id, (SELECT count(*) FROM requests r WHERE r.execution_id = e.id AND r.response IS NOT NULL) AS answers, " +
      "(SELECT count(*) FROM frames f WHERE f.execution_id = e.id " +
      "AND json_extract(f.payload, '$.event_type') = 'human') AS human FROM executions e " +
      `WHERE e.id >= ?1 AND ${isKept("e.id")} AND human <> answers + 1 ` +
      "AND NOT EXISTS (SELECT 1 FROM executions c WHERE c.parent_execution_id = e.id)",
  ),
  rule(
    "a request belongs to a call",
    "SELECT r.request_id, r.execution_id, r.position FROM requests r WHERE r.execution_id >= ?1 AND NOT EXISTS " +
      "(SELECT 1 FROM tool_calls c WHERE c.execution_id = r.execution_id AND c.position = r.position)",
  ),
];
