// Examines a SQLite database without changing it: its validity, size, and newest time.
import { ifThere } from "../../../base/files/missing.ts";
import type { DatabaseUnusable } from "../../database/database.ts";
import { SqliteDatabase, unusable } from "./sqlite_database.ts";

/** The state of a database. */
export interface DatabaseHealth {
  /** The size of the file and its write-ahead log, in bytes. */
  bytes: number;
  /** The reason why the database cannot be used; absent if it can be used. */
  refusal?: DatabaseUnusable;
  /** The latest time in its data, in milliseconds since the epoch; null if the database is empty. */
  newest: number | null;
}

const NEWEST = "SELECT max(at) AS at FROM (SELECT max(started_at) AS at FROM executions " +
  "UNION ALL SELECT max(finished_at) FROM (SELECT finished_at FROM executions ORDER BY id DESC LIMIT 100) " +
  "UNION ALL SELECT max(started_at) FROM instances UNION ALL SELECT max(stopped_at) FROM instances)";

/** Returns the state of the database at this path. Checks the complete file, also a large one. */
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
    // An error of SQLite is a finding, not a failure of this function.
    if (error instanceof Deno.errors.NotCapable || !(error instanceof Error)) throw error;
    return { bytes, newest: null, refusal: unusable(error, path) };
  }
}
