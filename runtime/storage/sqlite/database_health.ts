// How a database is, for a person who asks: whether it can be used, its size, the newest time in it. Reads only.
import { ifThere } from "../../../base/files/missing.ts";
import type { DatabaseUnusable } from "../database.ts";
import { SqliteDatabase, unusable } from "./sqlite_database.ts";

/** What a look at a database tells. */
export interface DatabaseHealth {
  /** With its write-ahead log. */
  bytes: number;
  /** The reason why it cannot be used. */
  refusal?: DatabaseUnusable;
  /** The latest time of anything in it, in milliseconds since the epoch; null: there is none. */
  newest: number | null;
}

const NEWEST = "SELECT max(at) AS at FROM (SELECT max(started_at) AS at FROM executions " +
  "UNION ALL SELECT max(finished_at) FROM (SELECT finished_at FROM executions ORDER BY id DESC LIMIT 100) " +
  "UNION ALL SELECT max(started_at) FROM instances UNION ALL SELECT max(stopped_at) FROM instances)";

/** Looks at the whole of the database at this path, however large it is. */
export function examineDatabase(path: string): DatabaseHealth {
  const sizeOf = (file: string) => ifThere(() => Deno.statSync(file).size) ?? 0;
  const bytes = sizeOf(path) + sizeOf(`${path}-wal`);
  try {
    using database = SqliteDatabase.open(path, { readOnly: true });
    const check = database.get<{ quick_check: string }>("PRAGMA quick_check(1)");
    if (check?.quick_check !== "ok") throw new Error(`malformed: ${check?.quick_check}`);
    const isEmpty = database.get("SELECT 1 FROM sqlite_schema LIMIT 1") === undefined;
    const newest = isEmpty ? undefined : database.get<{ at: number | null }>(NEWEST);
    return { bytes, newest: newest?.at ?? null };
  } catch (error) {
    // Whatever SQLite says of the file is the answer.
    if (error instanceof Deno.errors.NotCapable || !(error instanceof Error)) throw error;
    return { bytes, newest: null, refusal: unusable(error, path) };
  }
}
