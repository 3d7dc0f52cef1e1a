// The full-text index of SQLite. Before a search, the texts of executions that began or ended since the last one are added,
// so that a run does not pay for the index. PostgreSQL searches the texts themselves and needs no index.
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

const INSERT = "INSERT OR REPLACE INTO executions_text (rowid, asked, answered) SELECT id, " +
  "substr(coalesce(request ->> '$.message', ''), 1, 1000), " +
  "substr(coalesce(error || ' ', '') || coalesce(output_data, ''), 1, 1000) FROM executions ";
/** SQL: an execution of the list has ended. */
const ENDED = "finished_at IS NOT NULL AND id IN (SELECT value FROM json_each(?))";

/** Adds the missing texts to the index. Does nothing with PostgreSQL. */
export async function indexTexts(db: Database): Promise<void> {
  if (db.kind !== "sqlite" || !await db.read(isOutdated)) return;
  while (await db.change("process", addBatch)) await nextTurn();
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
