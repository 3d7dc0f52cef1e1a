// Defines an invariant: a rule with a query for the rows that break the rule.
import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** A row that breaks an invariant, as the query returns it. */
export type BrokenRow = Record<string, unknown>;

/** The state of the soak that an invariant needs in addition to the database. */
export interface Circumstances {
  /** All executions with lower ids had already ended at an earlier check and are skipped; 0 checks all. */
  since: number;
  /** `dead`: no service runs. `live`: a service is ready. `quiet`: a service is ready, and no execution runs or waits. */
  service: "dead" | "live" | "quiet";
  /** The intervals in milliseconds of the schedules that never change, by agent. */
  beats: Readonly<Record<string, number>>;
  /** The agents that never ask a question, so that their executions never wait. */
  neverAsking: readonly string[];
  /** The maximum difference in milliseconds between the clocks of the writers; absent if there was only one writer. */
  clockErrorMs?: number;
}

/** A rule that every database must obey. */
export interface Invariant {
  /** The rule as a sentence. */
  name: string;
  /** Returns the rows that break the rule. */
  find(rows: Rows, circumstances: Circumstances): BrokenRow[];
}

/** A consistent snapshot of a database for queries. */
export interface Rows {
  all<Row = BrokenRow>(sql: string, ...values: SQLInputValue[]): Row[];
}

/** Returns a Rows that queries an open connection. */
export function rowsOf(db: DatabaseSync): Rows {
  return {
    all: <Row>(sql: string, ...values: SQLInputValue[]) => db.prepare(sql).all(...values) as Row[],
  };
}

/**
 * Returns an invariant that consists of one SQL query over executions. In the query, `?1` is the lowest id to check, and
 * `?2` the allowed difference between clocks in milliseconds.
 */
export function rule(name: string, sql: string): Invariant {
  return {
    name,
    find: (rows, { since, clockErrorMs = 0 }) =>
      rows.all(sql, ...sql.includes("?2") ? [since, clockErrorMs] : [since]),
  };
}

/**
 * Returns an SQL condition: the execution still has its conversation. A purge deletes the conversation with its calls and
 * requests.
 */
export function isKept(execution: string): string {
  return `EXISTS (SELECT 1 FROM messages kept WHERE kept.execution_id = ${execution})`;
}
