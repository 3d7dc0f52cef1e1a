// Examines a PostgreSQL server without changing it: its usability, version, and number of living nodes.
// @ts-types="@types/pg"
import type { Client } from "pg";
import { SECOND_MS } from "../../../base/time_units.ts";
import { LIFE_MS } from "../../executions/nodes/node_reads.ts";
import { DatabaseUnusable } from "../../database/database.ts";
import { requireKnownFormat } from "./bring_up_to_date.ts";
import { loadPg, toClientConfig } from "./connection.ts";
import { describeAddress, unusableServer } from "./postgres_errors.ts";
import { SCHEMA } from "./schema.ts";

/** The oldest supported major version. Older versions get no security fixes. */
const OLDEST_MAJOR = 14;
const ANSWER_MS = 10 * SECOND_MS;

/** The state of a usable server. */
export interface ServerHealth {
  /** The version of the server, such as `16.4`, with the packager's suffix. */
  version: string;
  /** The address without its password. */
  place: string;
  livingNodes: number;
}

/** Connects to a server and returns its state. Rejects with DatabaseUnusable if it cannot be used. */
export async function examineServer(address: string): Promise<ServerHealth> {
  const place = describeAddress(address);
  const [{ default: pg }, config] = await Promise.all([
    loadPg(),
    toClientConfig(address, { connectMs: ANSWER_MS }),
  ]);
  const client = new pg.Client({
    ...config,
    query_timeout: ANSWER_MS,
    application_name: "inkling doctor",
  });
  // The statement that fails reports the error.
  client.on("error", () => {});
  try {
    await client.connect();
    return { place, ...await ask(client, place) };
  } catch (error) {
    if (error instanceof DatabaseUnusable) throw error;
    throw unusableServer(place, error);
  } finally {
    await client.end().catch(() => {
      // The end fails if the connection was never open or is broken.
    });
  }
}

async function ask(client: Client, place: string): Promise<Omit<ServerHealth, "place">> {
  const { rows: [server] } = await client.query(
    "SELECT current_setting('server_version') AS version, " +
      "current_setting('server_version_num')::int / 10000 AS major, " +
      "to_regclass($1) IS NOT NULL AS ours",
    [`${SCHEMA}.schema_steps`],
  );
  const { version, major, ours } = server;
  if (major < OLDEST_MAJOR) {
    throw new DatabaseUnusable(
      `Cannot use ${place}: it is PostgreSQL ${version}`,
      { remedy: `Update it to ${OLDEST_MAJOR} or newer.` },
    );
  }
  // Without these tables, no service has used the database yet.
  if (!ours) return { version, livingNodes: 0 };
  const { rows: [format] } = await client.query(
    `SELECT coalesce(max(version), 0)::int AS newest FROM ${SCHEMA}.schema_steps`,
  );
  requireKnownFormat(format.newest, place);
  const { rows: [nodes] } = await client.query(
    `SELECT count(*)::int AS living FROM ${SCHEMA}.instances WHERE stopped_at IS NULL ` +
      "AND last_seen >= extract(epoch FROM clock_timestamp()) * 1000 - $1::bigint",
    [LIFE_MS],
  );
  return { version, livingNodes: nodes.living };
}
