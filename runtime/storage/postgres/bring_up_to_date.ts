// Migrates a PostgreSQL database to the schema of this version.
import { DatabaseUnusable } from "../../database/database.ts";
import { MARKS_TABLE, REMOVE_OLD_MARKS } from "./change_marks.ts";
import type { Query } from "./connection.ts";
import { SCHEMA, STEPS } from "./schema.ts";

/**
 * Migrates the database. A lock ensures that one node migrates while the others wait. Throws DatabaseUnusable for a
 * database of a newer version or of another program and, with `migrates: false`, for an outdated database. Does not change
 * such a database.
 */
export async function migrate(
  query: Query,
  { place, migrates = true }: { place: string; migrates?: boolean },
): Promise<void> {
  try {
    await query("BEGIN");
    await query("SELECT pg_advisory_xact_lock(hashtextextended('inkling schema', 0))");
    const { rows: [found] } = await query(
      "SELECT current_setting('transaction_read_only') = 'on' AS readonly, " +
        "to_regclass($1) IS NOT NULL AS steps, " +
        "EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = $2) AS tables",
      [`${SCHEMA}.schema_steps`, SCHEMA],
    ) as { rows: [Found] };
    if (found.readonly === 1) {
      // A read-only database is refused, because every run would fail.
      throw Object.assign(new Error("The database is read-only"), { code: "25006" });
    }
    if (found.steps === 0 && found.tables === 1) {
      throw new DatabaseUnusable(
        `Cannot use ${place}: its schema "${SCHEMA}" has tables of another program`,
        { remedy: "Give Inkling a separate database." },
      );
    }
    if (found.steps === 0 && !migrates) {
      throw new DatabaseUnusable(
        `Cannot read ${place}: there is no history yet`,
        { remedy: "Start a service, which creates it." },
      );
    }
    if (found.steps === 0) {
      await query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
      await query("CREATE TABLE schema_steps (version BIGINT PRIMARY KEY)");
      await query(MARKS_TABLE);
    }
    const { rows: [newest] } = await query(
      "SELECT coalesce(max(version), 0) AS version FROM schema_steps",
    ) as { rows: [{ version: number }] };
    requireKnownFormat(newest.version, place);
    if (!migrates && newest.version < STEPS.length) {
      throw new DatabaseUnusable(
        `Cannot read ${place}: it was written by an older Inkling`,
        { remedy: "Start a service of this version, which updates it." },
      );
    }
    for (let version = newest.version; version < STEPS.length; version++) {
      await query(STEPS[version] ?? "");
      await query("INSERT INTO schema_steps (version) VALUES ($1)", [version + 1]);
    }
    if (migrates) await query(REMOVE_OLD_MARKS);
    await query("COMMIT");
  } catch (error) {
    // If this statement fails, the server rolls back when the connection ends.
    await query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** The state of the schema. True is 1, false is 0. */
interface Found {
  readonly: number;
  steps: number;
  tables: number;
}

/** Throws DatabaseUnusable for a database of a newer version. */
export function requireKnownFormat(format: number, place: string): void {
  if (format <= STEPS.length) return;
  throw new DatabaseUnusable(
    `Cannot use ${place}: it was written by a newer Inkling (format ${format}, this one knows ${STEPS.length})`,
    { remedy: "Update Inkling on this machine." },
  );
}
