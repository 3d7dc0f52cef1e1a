// Opens pg-boss for the queue of executions: configures it, and creates its tables on one node at a time.
import process from "node:process";
// @ts-types="@types/pg"
import type { ClientBase } from "pg";
import type { PgBoss } from "pg-boss";
import { lazyModule } from "../../../base/lazy_module.ts";
import { CONNECTION_LIMITS, loadPg, prepareConnection, toClientConfig } from "./connection.ts";
import { describeAddress, unusableServer } from "./postgres_errors.ts";
import { QUEUE_SCHEMA } from "./queue_names.ts";

const loadPgBoss = lazyModule(() => import("pg-boss"));

/** The lease of a job: a node without a heartbeat for this time loses its jobs. The value is the minimum of pg-boss. */
const LEASE_SECONDS = 10;
/** The timeout of statements. The statements are short, so a longer duration means a dead connection. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** The maximum wait for another node that creates the tables. */
const START_MS = 20_000;
/** The maximum number of connections of pg-boss, in addition to those of PostgresDatabase. */
const CONNECTIONS = 3;
const MAX_INT = 2 ** 31 - 1;

/** The options of queues. */
export const QUEUE_OPTIONS = {
  policy: "standard",
  heartbeatSeconds: LEASE_SECONDS,
  // A job is handed out again until its execution ends, however many nodes die.
  retryLimit: MAX_INT,
  retryDelay: 0,
  retryBackoff: false,
  // The maximum that pg-boss allows. Each heartbeat restarts the time.
  expireInSeconds: 24 * 60 * 60,
  // pg-boss would remove a waiting job after this time.
  retentionSeconds: MAX_INT,
  deleteAfterSeconds: 60 * 60,
} as const;

/** The options of `openBoss`. */
export interface OpenBossOptions {
  /** The address of the database, as for PostgresDatabase. */
  address: string;
  /** Called for errors of background work. pg-boss retries by itself. */
  onError: (error: unknown) => void;
}

/** Opens pg-boss and creates its tables if they are missing. Rejects with DatabaseUnusable. */
export async function openBoss(
  { address, onError }: OpenBossOptions,
): Promise<PgBoss> {
  const [{ PgBoss }, { default: pg }] = await Promise.all([loadPgBoss(), loadPg()]);
  // Both packages write warnings to the standard error. If nobody reads it any more, the failed write must not end the
  // process.
  process.stderr.off("error", ignore).on("error", ignore);
  const connection = {
    ...await toClientConfig(address),
    application_name: "inkling queue",
    query_timeout: STATEMENT_TIMEOUT_MS,
    onConnect: (client: ClientBase) => prepareConnection(client, CONNECTION_LIMITS),
  };
  const boss = new PgBoss({
    ...connection,
    max: CONNECTIONS,
    schema: QUEUE_SCHEMA,
    supervise: true,
    schedule: false,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    maintenanceIntervalSeconds: 5 * 60,
  });
  boss.on("error", onError);
  const client = new pg.Client(connection);
  // Without a listener, a failure of the connection would end the process. The statement that fails reports the error.
  client.on("error", () => {});
  try {
    await client.connect();
    await prepareConnection(client, { ...CONNECTION_LIMITS, silentMs: START_MS });
    // A lock serializes the nodes that create the tables. Without it, pg-boss would recognize the error of the second node
    // only by its text. The lock ends with the connection, even if this node freezes.
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('inkling queue', 0))");
    await boss.start();
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw unusableServer(describeAddress(address), error);
  } finally {
    await client.end().catch(() => {});
  }
}

function ignore(): void {}
