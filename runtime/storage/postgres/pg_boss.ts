// pg-boss as the queue of runs uses it: its settings, and its tables made by one machine after the other.
// @ts-types="@types/pg"
import type { ClientBase } from "pg";
import type { PgBoss } from "pg-boss";
import { lazyModule } from "../../../base/lazy_module.ts";
import { CONNECTION_LIMITS, loadPg, prepareConnection, toClientConfig } from "./connection.ts";
import { describeAddress, unusableServer } from "./postgres_errors.ts";
import { QUEUE_SCHEMA } from "./queue_names.ts";

const loadPgBoss = lazyModule(() => import("pg-boss"));

/** A machine that says nothing for so long has lost its jobs: what pg-boss allows at least. */
const LEASE_SECONDS = 10;
/** Its statements are short; one that takes longer was swallowed on the way. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** How long the others wait for a machine that makes the tables. */
const START_MS = 20_000;
const MAX_INT = 2 ** 31 - 1;

/** How the jobs of a queue are kept. */
export const QUEUE_OPTIONS = {
  policy: "standard",
  heartbeatSeconds: LEASE_SECONDS,
  // A job ends when its execution does, not after so many machines that died of it.
  retryLimit: MAX_INT,
  retryDelay: 0,
  retryBackoff: false,
  // The most that it allows; each heartbeat begins it anew.
  expireInSeconds: 24 * 60 * 60,
  // How long it may wait for a machine: pg-boss removes it afterwards, so never.
  retentionSeconds: MAX_INT,
  deleteAfterSeconds: 60 * 60,
} as const;

/** How it is opened. */
export interface OpenBossOptions {
  /** As PostgresDatabase takes it. */
  address: string;
  /** The most connections at once, besides those of the database. */
  connections?: number;
  /** Hears what went wrong in the background; it is tried again by itself. */
  onError: (error: unknown) => void;
}

/** Connects, and makes its tables where they are missing. Rejects with DatabaseUnusable. */
export async function openBoss(
  { address, connections, onError }: OpenBossOptions,
): Promise<PgBoss> {
  const [{ PgBoss }, { default: pg }] = await Promise.all([loadPgBoss(), loadPg()]);
  const connection = {
    ...await toClientConfig(address),
    application_name: "inkling queue",
    query_timeout: STATEMENT_TIMEOUT_MS,
    onConnect: (client: ClientBase) => prepareConnection(client, CONNECTION_LIMITS),
  };
  const boss = new PgBoss({
    ...connection,
    max: connections ?? 3,
    schema: QUEUE_SCHEMA,
    supervise: true,
    schedule: false,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    maintenanceIntervalSeconds: 5 * 60,
  });
  boss.on("error", onError);
  const client = new pg.Client(connection);
  // What breaks it off is told by the statement that fails.
  client.on("error", () => {});
  try {
    await client.connect();
    await prepareConnection(client, { ...CONNECTION_LIMITS, silentMs: START_MS });
    // Of two machines that make its tables at once pg-boss forgives the second one, by the words of its error: so each waits for
    // the one before. The lock ends with the connection, and where this machine stands still.
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
