// Invariants of the ends of executions: each execution ends once, its last frame matches its row, and every running row has
// a runner.
import { type Invariant, rule } from "./invariant.ts";

const FINAL = "status NOT IN ('running', 'waiting')";

export const ENDS: readonly Invariant[] = [
  rule(
    "each ended execution has exactly one complete frame, and no other has one",
    "SELECT e.id, e.agent_id, e.status, count(f.id) AS completes FROM executions e " +
      "LEFT JOIN frames f ON f.execution_id = e.id AND f.event = 'complete' " +
      `WHERE e.id >= ?1 GROUP BY e.id HAVING count(f.id) <> (e.${FINAL})`,
  ),
  rule(
    "complete is the last frame",
    "SELECT f.execution_id, f.id, f.event FROM frames c JOIN frames f " +
      "ON f.execution_id = c.execution_id AND f.id > c.id " +
      "WHERE c.event = 'complete' AND c.execution_id >= ?1",
  ),
  rule(
    "execution_info is the first frame",
    "SELECT e.id, e.agent_id FROM executions e WHERE e.id >= ?1 AND 'execution_info' IS NOT " +
      "(SELECT json_extract(payload, '$.event_type') FROM frames WHERE execution_id = e.id ORDER BY id LIMIT 1)",
  ),
  rule(
    "the complete frame equals the execution's row",
    "SELECT e.id, e.status, e.error, e.duration_ms, e.total_tokens, e.cost_usd, f.payload " +
      "FROM executions e JOIN frames f ON f.execution_id = e.id AND f.event = 'complete' " +
      "WHERE e.id >= ?1 AND (json_extract(f.payload, '$.status') IS NOT e.status " +
      "OR json_extract(f.payload, '$.error') IS NOT e.error " +
      "OR json_extract(f.payload, '$.duration_ms') IS NOT e.duration_ms " +
      "OR json_extract(f.payload, '$.total_tokens') IS NOT e.total_tokens " +
      "OR (json_extract(f.payload, '$.cost_usd') IS NULL) <> (e.cost_usd IS NULL) " +
      "OR abs(json_extract(f.payload, '$.cost_usd') - e.cost_usd) > 1e-9)",
  ),
  rule(
    "exactly the ended executions have the time of their end",
    "SELECT id, status, started_at, finished_at FROM executions WHERE id >= ?1 " +
      `AND ((finished_at IS NOT NULL) <> (${FINAL}) OR finished_at < started_at - ?2)`,
  ),
  rule(
    "every success has an answer, and one final_answer frame contains each stored answer",
    "SELECT e.id, e.status, count(f.id) AS answers FROM executions e " +
      "LEFT JOIN frames f ON f.execution_id = e.id AND f.event = 'final_answer' " +
      "WHERE e.id >= ?1 GROUP BY e.id " +
      "HAVING (e.output_data IS NULL AND e.status = 'success') " +
      "OR (e.output_data IS NOT NULL AND e.status IN ('running', 'waiting', 'orphaned')) " +
      "OR count(f.id) <> (e.output_data IS NOT NULL) " +
      "OR max(json_extract(f.payload, '$.content')) IS NOT e.output_data",
  ),
  rule(
    "exactly the executions that ended without success have an error",
    "SELECT id, status, error FROM executions WHERE id >= ?1 AND " +
      "(coalesce(error, '') = '') <> (status IN ('success', 'running', 'waiting'))",
  ),
  {
    name: "every running execution belongs to the running service",
    find: (rows, { service, since }) =>
      service === "dead" ? [] : rows.all(
        "SELECT id, agent_id, status, instance_id FROM executions WHERE id >= ?1 AND status = 'running' " +
          "AND instance_id IS NOT (SELECT id FROM instances WHERE stopped_at IS NULL ORDER BY rowid DESC LIMIT 1)",
        since,
      ),
  },
  {
    name: "no execution runs or waits after all work has ended",
    find: (rows, { service }) =>
      service !== "quiet" ? [] : rows.all(
        "SELECT id, agent_id, status, started_at FROM executions WHERE status IN ('running', 'waiting')",
      ),
  },
];
