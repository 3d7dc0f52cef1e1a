// The type of an invariant: a query for the rows that break it.
import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** A row that breaks an invariant, as the query returns it. */
export type BrokenRow = Record<string, unknown>;

/** The service's circumstances, beside its database. */
export interface Circumstances {
  /** Executions below this id had ended at an earlier check; 0 checks all. */
  since: number;
  /** dead: no service runs; live: a service is ready; quiet: it is ready, and no execution runs or waits. */
  service: "dead" | "live" | "quiet";
  /** Schedules that were never edited: the milliseconds between two of their slots. */
  beats: Readonly<Record<string, number>>;
  /** Agents that never ask a question, so that their executions are always running. */
  neverAsking: readonly string[];
  /** The maximum difference between the writers' clocks; absent: there was one writer. */
  clockErrorMs?: number;
}

/** One rule. */
export interface Invariant {
  /** The rule as a sentence. */
  name: string;
  /** Returns the rows that break it; empty when it holds. */
  find(rows: Rows, circumstances: Circumstances): BrokenRow[];
}

/** One consistent view of a database. */
export interface Rows {
  all<Row = BrokenRow>(sql: string, ...values: SQLInputValue[]): Row[];
}

/** Returns the rows of an open connection. */
export function rowsOf(db: DatabaseSync): Rows {
  return {
    all: <Row>(sql: string, ...values: SQLInputValue[]) => db.prepare(sql).all(...values) as Row[],
  };
}

/**
 * Returns a rule that is one query over executions. `?1` is the first id to check, `?2` the allowed difference
 * between clocks.
 */
export function rule(name: string, sql: string): Invariant {
  return {
    name,
    find: (rows, { since, clockErrorMs = 0 }) =>
      rows.all(sql, ...sql.includes("?2") ? [since, clockErrorMs] : [since]),
  };
}

/** SQL: true when an execution still has its conversation; a purge deletes it with its calls and requests. */
export function isKept(execution: string): string {
  return `EXISTS (SELECT 1 FROM messages kept WHERE kept.execution_id = ${execution})`;
}
