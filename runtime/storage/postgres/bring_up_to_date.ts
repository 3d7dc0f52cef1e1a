// Brings a PostgreSQL database to the shape that this version knows.
// @ts-types="@types/pg"
import type { Pool } from "pg";
import { DatabaseUnusable } from "../database.ts";
import { SCHEMA, STEPS } from "./schema.ts";

/**
 * Several machines may come at once: one after the other looks, and the first does it. Throws DatabaseUnusable for a database
 * of a newer version, or of another program; it is left as it is.
 */
export async function bringUpToDate(pool: Pool, place: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('inkling schema', 0))");
    const { rows: [found] } = await client.query(
      "SELECT to_regclass($1) IS NOT NULL AS steps, EXISTS (SELECT 1 FROM information_schema.tables " +
        "WHERE table_schema = $2) AS tables",
      [`${SCHEMA}.schema_steps`, SCHEMA],
    );
    if (found.steps === 0 && found.tables === 1) {
      throw new DatabaseUnusable(
        `Cannot use ${place}: its schema "${SCHEMA}" has tables of another program. Give Inkling a database of its own.`,
      );
    }
    if (found.steps === 0) {
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
      await client.query("CREATE TABLE schema_steps (version BIGINT PRIMARY KEY)");
    }
    const { rows: [newest] } = await client.query(
      "SELECT coalesce(max(version), 0) AS version FROM schema_steps",
    );
    requireKnownFormat(newest.version, place);
    for (let version = newest.version; version < STEPS.length; version++) {
      await client.query(STEPS[version] ?? "");
      await client.query("INSERT INTO schema_steps (version) VALUES ($1)", [version + 1]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

/** Throws DatabaseUnusable for a database of a newer version. */
export function requireKnownFormat(format: number, place: string): void {
  if (format <= STEPS.length) return;
  throw new DatabaseUnusable(
    `Cannot use ${place}: it was written by a newer Inkling (format ${format}, this one knows ` +
      `${STEPS.length}). Update Inkling on this machine.`,
  );
}
