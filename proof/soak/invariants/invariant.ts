// What must hold of a database, as a query for the rows that break it.
import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** A row that breaks an invariant, as the query tells it. */
export type BrokenRow = Record<string, unknown>;

/** What is known of the service beside its database. */
export interface Circumstances {
  /** Executions below this id were looked at before and had ended; 0 looks at all. */
  since: number;
  /** dead: nobody serves; live: a service is ready; quiet: it is, and nothing runs or waits any more. */
  service: "dead" | "live" | "quiet";
  /** Schedules that were never edited: the milliseconds between two of their slots. */
  beats: Readonly<Record<string, number>>;
  /** Agents that never ask anything, so that running is all that their executions do. */
  unasking: readonly string[];
  /** How far the clocks of those that wrote may be apart; absent: there was one. */
  clockErrorMs?: number;
}

/** One rule. */
export interface Invariant {
  /** A sentence about what holds. */
  name: string;
  /** The rows that break it; none where it holds. */
  find(rows: Rows, circumstances: Circumstances): BrokenRow[];
}

/** One consistent view of a database. */
export interface Rows {
  all<Row = BrokenRow>(sql: string, ...values: SQLInputValue[]): Row[];
}

/** Rows of an open connection. */
export function rowsOf(db: DatabaseSync): Rows {
  return {
    all: <Row>(sql: string, ...values: SQLInputValue[]) => db.prepare(sql).all(...values) as Row[],
  };
}

/** A rule that is one query over executions; `?1` in it is the first id to look at, `?2` how far clocks may be apart. */
export function rule(name: string, sql: string): Invariant {
  return {
    name,
    find: (rows, { since, clockErrorMs = 0 }) =>
      rows.all(sql, ...sql.includes("?2") ? [since, clockErrorMs] : [since]),
  };
}

/** SQL: whether an execution still has its conversation; a purge takes it, its calls and its requests. */
export function isKept(execution: string): string {
  return `EXISTS (SELECT 1 FROM messages kept WHERE kept.execution_id = ${execution})`;
}
