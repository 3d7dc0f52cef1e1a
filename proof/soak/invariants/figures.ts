// Invariants of usage: the row of an execution, its frames and its stored calls have the same sums of tokens, cost and
// calls.
import { type BrokenRow, type Invariant, isKept, type Rows, rule } from "./invariant.ts";

const isStats = (frame: string) =>
  `${frame}.event = 'meta' AND json_extract(${frame}.payload, '$.event_type') = 'stats'`;

/**
 * Matches the mark in a reply's text that states the reply's usage. The check adds up these marks independently of the
 * service's figures.
 */
const MARK = /\[tokens (\d+)\+(\d+) cost (\S+?)\]/;

/** Returns the mark for a reply's text; `cost` in US dollars, null when unknown. */
export function usageMark(usage: { input: number; output: number; cost: number | null }): string {
  return `[tokens ${usage.input}+${usage.output} cost ${usage.cost ?? "unknown"}]`;
}

export const FIGURES: readonly Invariant[] = [
  rule(
    "each reply, even an interrupted one, has one stats frame",
    "SELECT e.id, e.status, " +
      "(SELECT count(*) FROM frames r WHERE r.execution_id = e.id AND (r.event IN ('ai', 'tool_call') " +
      "OR r.event = 'complete' AND json_extract(r.payload, '$.usage_estimated'))) AS replies, " +
      `(SELECT count(*) FROM frames s WHERE s.execution_id = e.id AND ${isStats("s")}) AS stats ` +
      "FROM executions e WHERE e.id >= ?1 AND replies <> stats",
  ),
  rule(
    "the last stats frame equals the usage in the execution's row",
    "SELECT e.id, e.input_tokens, e.output_tokens, e.total_tokens, e.cost_usd, s.payload FROM executions e " +
      "LEFT JOIN frames s ON s.id = " +
      `(SELECT max(f.id) FROM frames f WHERE f.execution_id = e.id AND ${isStats("f")}) ` +
      "WHERE e.id >= ?1 AND (coalesce(json_extract(s.payload, '$.input_tokens'), 0) <> e.input_tokens " +
      "OR coalesce(json_extract(s.payload, '$.output_tokens'), 0) <> e.output_tokens " +
      "OR coalesce(json_extract(s.payload, '$.total_tokens'), 0) <> coalesce(e.total_tokens, 0) " +
      "OR (json_extract(s.payload, '$.cost_usd') IS NULL) <> (e.cost_usd IS NULL) " +
      "OR abs(json_extract(s.payload, '$.cost_usd') - e.cost_usd) > 1e-9)",
  ),
  rule(
    "the total of tokens is the sum of input and output",
    "SELECT id, input_tokens, output_tokens, total_tokens FROM executions WHERE id >= ?1 " +
      "AND coalesce(total_tokens, 0) <> input_tokens + output_tokens",
  ),
  rule(
    "the execution's row counts the tool calls in its frames",
    "SELECT e.id, e.tool_calls, (SELECT coalesce(sum(json_array_length(f.payload, '$.tools')), 0) " +
      "FROM frames f WHERE f.execution_id = e.id AND f.event = 'tool_call') AS told " +
      `FROM executions e WHERE e.id >= ?1 AND e.tool_calls <> told AND NOT ${isRefused("told")}`,
  ),
  rule(
    "the execution's row counts its stored tool calls",
    "SELECT e.id, e.tool_calls, (SELECT count(*) FROM tool_calls c WHERE c.execution_id = e.id) AS stored " +
      `FROM executions e WHERE e.id >= ?1 AND e.tool_calls <> stored AND ${isKept("e.id")} ` +
      `AND NOT ${isRefused("stored")}`,
  ),
  {
    name: "an execution's tokens and cost are the sums over its replies",
    find: (rows, { since }) => findWrongSums(rows, since),
  },
];

/**
 * Returns an SQL condition: a limit refused the calls of the last reply, so the row does not count them. `calls` is an SQL
 * expression.
 */
function isRefused(calls: string): string {
  return `(e.status = 'aborted' AND e.error GLOB 'Aborted: max_*' AND e.tool_calls < ${calls})`;
}

interface Sums {
  input: number;
  output: number;
  cost: number | null;
}

/**
 * Returns the executions whose stored usage differs from the sum of the marks in their replies. Skips executions with a
 * reply that has no mark or was cut off, because a cut-off reply is not stored.
 */
function findWrongSums(rows: Rows, since: number): BrokenRow[] {
  const sums = new Map<number, Sums | null>();
  const replies = rows.all<{ id: number; content: string }>(
    "SELECT execution_id AS id, substr(json_extract(payload, '$.content'), 1, 200) AS content FROM frames " +
      "WHERE execution_id >= ?1 AND event IN ('ai', 'tool_call') ORDER BY id",
    since,
  );
  for (const { id, content } of replies) {
    const mark = MARK.exec(content);
    const before = sums.get(id) ?? { input: 0, output: 0, cost: null };
    if (sums.get(id) === null || mark === null) {
      sums.set(id, null);
      continue;
    }
    const cost = mark[3] === "unknown" ? null : Number(mark[3]);
    sums.set(id, {
      input: before.input + Number(mark[1]),
      output: before.output + Number(mark[2]),
      cost: cost === null ? before.cost : (before.cost ?? 0) + cost,
    });
  }
  return rows.all<{ id: number } & Sums>(
    "SELECT id, input_tokens AS input, output_tokens AS output, cost_usd AS cost FROM executions e WHERE id >= ?1 " +
      "AND NOT EXISTS (SELECT 1 FROM frames c WHERE c.execution_id = e.id AND c.event = 'complete' " +
      "AND json_extract(c.payload, '$.usage_estimated'))",
    since,
  ).flatMap(({ id, input, output, cost }) => {
    const sum = sums.get(id);
    if (sum === undefined || sum === null) return [];
    const same = sum.input === input && sum.output === output &&
      (sum.cost === null) === (cost === null) && Math.abs((sum.cost ?? 0) - (cost ?? 0)) < 1e-9;
    return same ? [] : [{ id, input, output, cost, replies: sum }];
  });
}
