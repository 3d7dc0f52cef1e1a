// Invariants of a shared database after all executions have ended, in addition to the invariants of every database.
import { type Invariant, rule } from "../soak/invariants/invariant.ts";
import { RESUMED } from "../soak/load/soak_agents.ts";
import { FOLLOWING, LABELLED, STEADY } from "./cluster_agents.ts";

const list = (names: readonly string[]) => names.map((name) => `'${name}'`).join(", ");

/** The agents whose runs are resumed after their node has ended, as an SQL list. */
const GOES_ON = list([...RESUMED, STEADY, LABELLED, FOLLOWING.agent]);

export const CLUSTER_INVARIANTS: readonly Invariant[] = [
  rule(
    "every requested execution has an idempotency key, so no node started one by itself",
    "SELECT e.id, e.agent_id, e.trigger FROM executions e WHERE e.id >= ?1 AND e.trigger IN ('manual', 'chat') " +
      "AND NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE k.execution_id = e.id)",
  ),
  rule(
    "no execution of an agent that is resumed after its node's end is orphaned",
    "SELECT id, agent_id, error FROM executions WHERE id >= ?1 AND status = 'orphaned' " +
      `AND parent_execution_id IS NULL AND agent_id IN (${GOES_ON})`,
  ),
  rule(
    "every execution succeeds unless it was cancelled, its node ended, or it reached a limit",
    "SELECT id, agent_id, status, error FROM executions WHERE id >= ?1 AND parent_execution_id IS NULL " +
      "AND status NOT IN ('success', 'orphaned') AND error <> 'Cancelled by user' " +
      "AND error NOT LIKE 'Aborted: loop_detected%' AND agent_id <> 'limited' " +
      `AND (error <> 'Aborted: service stopped' OR agent_id IN (${GOES_ON}))`,
  ),
  rule(
    "a successful parent has a result with the id and the status of each delegated execution",
    "SELECT c.id, c.status, p.id AS parent, m.body ->> '$.content' AS told FROM executions c " +
      "JOIN executions p ON p.id = c.parent_execution_id LEFT JOIN messages m ON m.execution_id = p.id " +
      "AND m.position = c.parent_position WHERE c.id >= ?1 AND p.status = 'success' " +
      "AND (m.body IS NULL OR m.body ->> '$.content' ->> '$.execution_id' IS NOT c.id " +
      "OR m.body ->> '$.content' ->> '$.status' IS NOT c.status)",
  ),
  rule(
    "each end starts the agent that follows it once",
    "SELECT e.id, e.status, count(f.id) AS followed FROM executions e LEFT JOIN executions f " +
      "ON f.trigger = 'after' AND f.request ->> '$.cause.executionId' = e.id " +
      `WHERE e.id >= ?1 AND e.agent_id = '${FOLLOWING.followed}' GROUP BY e.id HAVING count(f.id) <> 1`,
  ),
  rule(
    "no slot runs before its time, whatever the clocks of the nodes say",
    "SELECT s.agent_id, s.scheduled_for, e.id, e.started_at FROM slots s " +
      "JOIN executions e ON e.id = s.execution_id WHERE e.id >= ?1 AND e.started_at < s.scheduled_for - ?2",
  ),
  rule(
    "executions begin in the order of their ids, by one clock",
    "SELECT id, started_at, before FROM (SELECT id, started_at, max(started_at) " +
      "OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM executions) " +
      "WHERE id >= ?1 AND started_at < before - 60000",
  ),
  ...["reservations", "follow_ups", "watch_queue"].map((table) =>
    rule(`nothing is left in ${table}`, `SELECT * FROM ${table} WHERE ?1 >= 0`)
  ),
];
