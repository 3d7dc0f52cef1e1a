// Searches the requests and answers of executions. SQLite has a full-text index. Before a search, the texts of executions
// that began or ended since the last one are added, so that a run does not pay for the index. PostgreSQL searches the texts
// themselves and needs no index.
import { nextTurn } from "../../../base/clock.ts";
import type { Database } from "../../database/database.ts";
import { all, get, type Operation, run } from "../../database/operation.ts";

/** The maximum number of new executions that one transaction adds. Other work continues between two transactions. */
const BATCH = 200;

/** The state of the index. */
interface IndexState {
  /** The index has all executions up to this id. */
  up_to: number;
  /** The ids of executions that were open when they were added, as JSON. Their answers are missing. */
  open: string;
}

const ASKED = "substr(coalesce(request ->> '$.message', ''), 1, 1000)";
const ANSWERED = "substr(coalesce(error || ' ', '') || coalesce(output_data, ''), 1, 1000)";
const INSERT = "INSERT OR REPLACE INTO executions_text (rowid, asked, answered) " +
  `SELECT id, ${ASKED}, ${ANSWERED} FROM executions `;
/** SQL: an execution of the list has ended. */
const ENDED = "finished_at IS NOT NULL AND id IN (SELECT value FROM json_each(?))";

/**
 * SQL: the first parameter, quoted so that it is searched literally: as a phrase for SQLite's full-text search (PHRASE), or
 * as a pattern for PostgreSQL's ILIKE (PATTERN).
 */
const PHRASE = `'"' || replace(?1, '"', '""') || '"'`;
const PATTERN = String.raw`'%' || regexp_replace(?1, '([%_\\])', '\\\1', 'g') || '%'`;
const IN_TEXTS = {
  sqlite: `executions_text MATCH ${PHRASE}`,
  postgres: `(asked ILIKE ${PATTERN} OR answered ILIKE ${PATTERN})`,
};
const IN_ANSWERS = {
  sqlite: `executions_text MATCH 'answered : ' || ${PHRASE}`,
  postgres: `answered ILIKE ${PATTERN}`,
};

/** The parts of a query for the executions whose texts contain the first parameter. */
export interface TextSearch {
  from: string;
  /** The column of the ids. Rows in its order are found without reading all matches. */
  order: string;
  condition: { sqlite: string; postgres: string };
}

/**
 * Adds the missing texts to the index, and returns the parts of a query. A database that is open for reading only keeps its
 * index, so the query also reads the texts themselves, of which only ASCII letters match in another case.
 */
export async function openTextSearch(
  db: Database,
  { searchesAnswersOnly = false }: { searchesAnswersOnly?: boolean },
): Promise<TextSearch> {
  const condition = searchesAnswersOnly ? IN_ANSWERS : IN_TEXTS;
  if (db.isReadOnly) {
    const has = (text: string) => `instr(lower(${text}), lower(?1)) > 0`;
    const indexed = `id IN (SELECT rowid FROM executions_text WHERE ${condition.sqlite})`;
    const found = [indexed, has(ANSWERED), ...(searchesAnswersOnly ? [] : [has(ASKED)])];
    const sqlite = `(${found.join(" OR ")})`;
    return { from: "executions", order: "id", condition: { ...condition, sqlite } };
  }
  if (db.kind === "sqlite" && await db.read(isOutdated)) {
    while (await db.change("process", addBatch)) await nextTurn();
  }
  const from = "executions_text JOIN executions ON id = executions_text.rowid";
  return { from, order: "executions_text.rowid", condition };
}

function* isOutdated(): Operation<boolean> {
  const { up_to: upTo, open } = yield* readState();
  const row = yield* get(
    `SELECT 1 FROM executions WHERE id > ? UNION ALL SELECT 1 FROM executions WHERE ${ENDED} LIMIT 1`,
    upTo,
    open,
  );
  return row !== undefined;
}

/** Adds texts, and stores the new state. Returns true if there may be more. */
function* addBatch(): Operation<boolean> {
  const { up_to: upTo, open } = yield* readState();
  const added = yield* all<{ id: number }>(
    "SELECT id FROM executions WHERE id > ? ORDER BY id LIMIT ?",
    upTo,
    BATCH,
  );
  const last = added.at(-1)?.id ?? upTo;
  yield* run(`${INSERT} WHERE id > ? AND id <= ?`, upTo, last);
  yield* run(`${INSERT} WHERE ${ENDED}`, open);
  yield* run(
    "UPDATE search_index SET up_to = ?1, open = (SELECT json_group_array(id) FROM executions " +
      "WHERE status IN ('running', 'waiting') AND id <= ?1)",
    last,
  );
  return added.length === BATCH;
}

function* readState(): Operation<IndexState> {
  const state = yield* get<IndexState>("SELECT up_to, open FROM search_index");
  if (state === undefined) throw new TypeError("The state of the search index is missing");
  return state;
}
