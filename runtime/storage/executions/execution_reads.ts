// Reads executions, lists of executions, and their usage.
import type { Execution } from "../../executions/execution.ts";
import { STOPS } from "../../vocabulary/end_reason.ts";
import { COST_PLACES } from "../../../base/cost.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import {
  type Downtime,
  type ExecutionFilter,
  type ExecutionPreview,
  type ExecutionReads,
  type ListedExecution,
  type OpenCounts,
  type Outcomes,
  PREVIEW_CHARACTERS,
  type Span,
  type SpanSummary,
  type StoredExecution,
} from "../../executions/record/execution_reads.ts";
import type { UsageStep } from "../../executions/usage.ts";
import type { UsageDivision } from "../../vocabulary/usage_divisions.ts";
import type { Database } from "../../database/database.ts";
import {
  ANSWERED_COLUMNS,
  type AnsweredRow,
  EXECUTION_COLUMNS,
  type ExecutionRow,
  OPEN,
  toExecution,
  toStored,
} from "./execution_rows.ts";
import { isAlive } from "../../database/instances.ts";
import { selectByKey } from "./idempotency_keys.ts";
import { RESTS } from "./rests.ts";
import { openTextSearch } from "./search_index.ts";
import { selectUsage } from "./usage.ts";
import { all, get, isTrue, type Operation, type SqlValue } from "../../database/operation.ts";

const PREVIEW_COLUMNS = `substr(request ->> '$.message', 1, ${PREVIEW_CHARACTERS}) AS asked, ` +
  `substr(output_data, 1, ${PREVIEW_CHARACTERS}) AS answered`;

/** SQL: the status of an execution, or `resting`. */
const STATE = `CASE WHEN ${RESTS} THEN 'resting' ELSE status END`;
/** SQL: the execution failed. An execution that a person cancelled did not fail. */
const FAILED =
  `status NOT IN ('success', 'running', 'waiting') AND error IS DISTINCT FROM '${STOPS.cancelled}'`;

/**
 * Returns the SQL condition of a search in tool results. The first pattern matches the JSON of the frame, which is fast;
 * the second matches the text of the result.
 */
const inResults = (like: string) =>
  "EXISTS (SELECT 1 FROM frames WHERE execution_id = page.id AND event = 'tool_result' " +
  String.raw`AND payload ${like} ? ESCAPE '\' AND payload ->> '$.content' ${like} ? ESCAPE '\')`;
const IN_RESULTS = { sqlite: inResults("LIKE"), postgres: inResults("ILIKE") };

/** The minimum duration of a gap that counts as downtime. A shorter gap is a restart. */
const SHORTEST_GAP_MS = MINUTE_MS;
/** SQL: the gaps between the end of each service and the start of the next. */
const GAPS =
  'SELECT stopped_at AS "from", lead(started_at) OVER (ORDER BY started_at, rowid) AS "to" FROM instances';
/** SQL: the gaps with several nodes. A gap begins when a node ends while no other node runs. */
const GAPS_OF_ALL =
  'WITH lives AS (SELECT id, started_at AS begun, coalesce(stopped_at, last_seen) AS "known", ' +
  `CASE WHEN NOT ${
    isAlive("instances.id")
  } THEN coalesce(stopped_at, last_seen, started_at) END AS ended ` +
  'FROM instances) SELECT "known" AS "from", (SELECT min(begun) FROM lives later ' +
  'WHERE later.begun >= gone.ended AND later.id <> gone.id) AS "to" FROM lives gone ' +
  "WHERE ended IS NOT NULL AND NOT EXISTS (SELECT 1 FROM lives other WHERE other.id <> gone.id " +
  "AND other.begun <= gone.ended AND (other.ended IS NULL OR other.ended > gone.ended))";

/** Reads the executions of all service instances that used the database. */
export class SqlExecutionReads implements ExecutionReads {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  readExecution(id: number): Promise<StoredExecution | undefined> {
    return this.#db.read(() => selectStored(id));
  }

  readByKey(key: string, now: number): Promise<StoredExecution | undefined> {
    return this.#db.read(function* () {
      const row = yield* selectByKey({ key, now });
      return row && toStored(row);
    });
  }

  async listExecutions(filter: ExecutionFilter): Promise<readonly ListedExecution[]> {
    const { searchesResults = false } = filter;
    const text = searchesResults ? undefined : filter.text;
    const inTexts = text === undefined ? undefined : await openTextSearch(this.#db, filter);
    return await this.#db.read(function* () {
      const { conditions, values } = toConditions(filter);
      const { since, until } = filter;
      const previews = filter.preview === true ? `, ${PREVIEW_COLUMNS}` : "";
      // The search returns rows in the order of their ids, so the first page is found without reading all matches.
      const [from, order] = inTexts !== undefined
        ? [inTexts.from, inTexts.order]
        : since !== undefined || until !== undefined
        ? ["executions", '"startedAt" DESC, id']
        : ["executions", "id"];
      const statement = (search: string) => {
        const all = text === undefined ? conditions : [search, ...conditions];
        const page = `SELECT ${EXECUTION_COLUMNS}${previews} FROM ${from} ` +
          (all.length > 0 ? `WHERE ${all.join(" AND ")} ` : "") +
          `ORDER BY ${order} DESC LIMIT ? OFFSET ?`;
        return searchesResults
          ? `SELECT * FROM (${page}) AS page WHERE ${search} ORDER BY ${order} DESC`
          : page;
      };
      const search = inTexts?.condition ?? IN_RESULTS;
      const rows = yield* all<ExecutionRow & Partial<ExecutionPreview>>(
        { sqlite: statement(search.sqlite), postgres: statement(search.postgres) },
        ...(text === undefined ? [] : [text]),
        ...values,
        filter.limit,
        filter.offset,
        ...(searchesResults ? toPatterns(filter.text ?? "") : []),
      );
      return rows.map(({ asked = null, answered = null, ...row }) => ({
        ...toExecution(row),
        ...(filter.preview === true && { preview: { asked, answered } }),
      }));
    });
  }

  readUsage(from: number, by?: UsageDivision): Promise<UsageStep[]> {
    return this.#db.read(() => selectUsage(from, by));
  }

  newestByAgent(agentIds: readonly string[]): Promise<ReadonlyMap<string, Execution>> {
    return this.#db.read(function* () {
      // This statement takes one index lookup per agent, independent of the number of executions.
      const rows = yield* all<ExecutionRow>(
        `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE id IN (SELECT (SELECT id FROM executions ` +
          "WHERE agent_id = asked.value ORDER BY id DESC LIMIT 1) FROM json_each(?) AS asked)",
        JSON.stringify(agentIds),
      );
      return new Map(rows.map((row) => [row.agentId, toExecution(row)]));
    });
  }

  readIsEstimated(id: number): Promise<boolean> {
    return this.#db.read(function* () {
      // The last frame contains the flag. Other payloads, which may be long, are not parsed.
      const isEstimated = isTrue("payload ->> '$.usage_estimated'");
      const last = yield* get<{ isEstimated: number | null }>(
        `SELECT CASE event WHEN 'complete' THEN ${isEstimated} END AS isEstimated ` +
          "FROM frames WHERE execution_id = ? ORDER BY id DESC LIMIT 1",
        id,
      );
      return last?.isEstimated === 1;
    });
  }

  readSpan(span: Span): Promise<SpanSummary> {
    return this.#db.read(function* () {
      const { condition, values } = inSpan(span);
      const counts = yield* all<{ state: keyof SpanSummary["counts"]; n: number }>(
        `SELECT ${STATE} AS state, count(*) AS n FROM executions WHERE ${condition} GROUP BY 1`,
        ...values,
      );
      const failures = yield* all<SpanSummary["failures"][number]>(
        "SELECT failed.agent_id AS agentId, n AS count, last AS lastId, coalesce(error, '') AS lastError FROM " +
          `(SELECT agent_id, count(*) AS n, max(id) AS last FROM executions WHERE ${condition} ` +
          `AND ${FAILED} GROUP BY agent_id) AS failed JOIN executions ON id = last ` +
          "ORDER BY n DESC, failed.agent_id",
        ...values,
      );
      return {
        counts: Object.fromEntries(counts.map(({ state, n }) => [state, n])),
        costUsd: yield* selectCost(span),
        failures: failures.map((row) => ({ ...row })),
      };
    });
  }

  readSpanCost(span: Span): Promise<number | null> {
    return this.#db.read(() => selectCost(span));
  }

  readDowntimes(span: { since: number; until: number }): Promise<Downtime[]> {
    return this.#db.read(function* () {
      const select = (gaps: string) =>
        `SELECT "from", "to" FROM (${gaps}) AS gaps WHERE "to" > ? AND coalesce("from", 0) < ? ` +
        `AND ("from" IS NULL OR "to" - "from" >= ${SHORTEST_GAP_MS}) ORDER BY "to"`;
      const rows = yield* all<Downtime>(
        { sqlite: select(GAPS), postgres: select(GAPS_OF_ALL) },
        span.since,
        span.until,
      );
      return rows.map((row) => ({ ...row }));
    });
  }

  countOutcomes(since: number): Promise<Map<string, Outcomes>> {
    return this.#db.read(function* () {
      const rows = yield* all<Outcomes & { agentId: string }>(
        `SELECT agent_id AS agentId, count(*) FILTER (WHERE status NOT IN ${OPEN}) AS ended, ` +
          "count(*) FILTER (WHERE status = 'success') AS succeeded FROM executions WHERE started_at >= ? GROUP BY agent_id",
        since,
      );
      return new Map(rows.map(({ agentId, ...rest }) => [agentId, rest]));
    });
  }

  countOpen(agentIds?: readonly string[]): Promise<OpenCounts> {
    const ofAgents = agentIds === undefined
      ? ""
      : " AND agent_id IN (SELECT value FROM json_each(?))";
    const values = agentIds === undefined ? [] : [JSON.stringify(agentIds)];
    return this.#db.read(function* () {
      const rows = yield* all<{ state: keyof OpenCounts; n: number }>(
        `SELECT ${STATE} AS state, count(*) AS n FROM executions WHERE status IN ${OPEN}${ofAgents} ` +
          "GROUP BY 1",
        ...values,
      );
      const counts = { running: 0, waiting: 0, resting: 0 };
      for (const { state, n } of rows) counts[state] = n;
      return counts;
    });
  }
}

/** Returns an execution with its request and answer, or undefined. */
export function* selectStored(id: number): Operation<StoredExecution | undefined> {
  const row = yield* get<AnsweredRow>(
    `SELECT ${ANSWERED_COLUMNS} FROM executions WHERE id = ?`,
    id,
  );
  return row && toStored(row);
}

function* selectCost(span: Span): Operation<number | null> {
  const { condition, values } = inSpan(span);
  const row = yield* get<{ cost: number | null }>(
    `SELECT round(sum(cost_usd), ${COST_PLACES}) AS cost FROM executions WHERE ${condition}`,
    ...values,
  );
  return row?.cost ?? null;
}

/** Returns the SQL condition of a span, and the values of its parameters. */
function inSpan({ since, until, agentIds }: Span): { condition: string; values: SqlValue[] } {
  const condition = "started_at >= ? AND started_at < ?";
  if (agentIds === undefined) return { condition, values: [since, until] };
  return {
    condition: `${condition} AND agent_id IN (SELECT value FROM json_each(?))`,
    values: [since, until, JSON.stringify(agentIds)],
  };
}

/** Returns two LIKE patterns for a text: as it is written in JSON, and as plain text. */
function toPatterns(text: string): string[] {
  return [JSON.stringify(text).slice(1, -1), text]
    .map((one) => `%${one.replaceAll(/[\\%_]/g, "\\$&")}%`);
}

/** Returns the SQL conditions of a filter, and the values of their parameters. */
function toConditions(
  filter: ExecutionFilter,
): { conditions: string[]; values: (string | number)[] } {
  const { parentId, followedId, trigger, sessionId, since, until } = filter;
  // Each length of the list needs its own prepared statement, so duplicates are removed.
  const statuses = [...new Set(filter.statuses)];
  const agentIds = [...new Set([filter.agentId ?? []].flat())];
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (condition: string, ...more: readonly (string | number)[]) => {
    conditions.push(condition);
    values.push(...more);
  };
  if (statuses.length > 0) add(`status IN (${statuses.map(() => "?").join(", ")})`, ...statuses);
  if (agentIds.length > 0) add(`agent_id IN (${agentIds.map(() => "?").join(", ")})`, ...agentIds);
  if (parentId !== undefined) add("parent_execution_id = ?", parentId);
  if (followedId !== undefined) {
    add("trigger = 'after' AND request ->> '$.cause.executionId' = ?", followedId);
  }
  if (trigger !== undefined) add("trigger = ?", trigger);
  if (sessionId !== undefined) add("session_id = ?", sessionId);
  if (since !== undefined) add("started_at >= ?", since);
  if (until !== undefined) add("started_at < ?", until);
  return { conditions, values };
}
