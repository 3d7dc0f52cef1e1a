// The check of the shared PostgreSQL database. examine.ts loads this file only if a database is configured.
import { formatPlural } from "../../base/text/plural.ts";
import { DatabaseUnusable } from "../../runtime/database/database.ts";
import { examineServer } from "../../runtime/storage/postgres/server_health.ts";
import { type Finding, toRefusalFinding } from "./finding.ts";

/**
 * Checks that the database at `address` can be used. Adds the database's version and the number of live nodes to `notes`.
 */
export async function checkSharedDatabase(address: string, notes: string[]): Promise<Finding[]> {
  try {
    const { version, place, livingNodes: count } = await examineServer(address);
    const nodes = count === 0 ? "no live node" : formatPlural(count, "live node");
    notes.push(`PostgreSQL ${version} at ${place}: ${nodes}`);
    return [];
  } catch (error) {
    if (!(error instanceof DatabaseUnusable)) throw error;
    return [toRefusalFinding(error, "database")];
  }
}
