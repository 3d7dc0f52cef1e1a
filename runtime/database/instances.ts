// The table of service instances, one row per start of a service. Each running execution names the instance that runs it.
import { type Operation, run } from "./operation.ts";

/** The time without a heartbeat after which a node is dead, and other nodes recover its executions. */
const DEAD_MS = 30_000;

/** SQL: the present time by PostgreSQL's clock, in milliseconds since the epoch. */
export const NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

/** Returns an SQL condition for PostgreSQL that is true if a node is alive. `instanceId` is an SQL expression. */
export function isAlive(instanceId: string): string {
  return `EXISTS (SELECT 1 FROM instances i WHERE i.id = ${instanceId} AND i.stopped_at IS NULL ` +
    `AND i.last_seen > ${NOW} - ${DEAD_MS})`;
}

/** Inserts a row for this process. */
export function* openInstance(
  instance: { id: string; pid: number; startedAt: number },
): Operation<void> {
  yield* run(
    "INSERT INTO instances (id, pid, started_at) VALUES (?, ?, ?)",
    instance.id,
    instance.pid,
    instance.startedAt,
  );
}

/** Inserts a row for a node in PostgreSQL. Its times come from the database's clock. */
export function* openNode(
  node: { id: string; pid: number; name: string; version: string; labels: readonly string[] },
): Operation<void> {
  yield* run(
    "INSERT INTO instances (id, pid, name, version, labels, started_at, last_seen) " +
      `VALUES (?, ?, ?, ?, ?, ${NOW}, ${NOW})`,
    node.id,
    node.pid,
    node.name,
    node.version,
    JSON.stringify(node.labels),
  );
}

/** Stores the time of a node's regular stop, and releases its leases. */
export function* closeNode(id: string, stoppedAt: number): Operation<void> {
  yield* run("DELETE FROM leases WHERE instance_id = ?", id);
  yield* closeInstance(id, stoppedAt);
}

/** Stores the time of an instance's regular stop. */
export function* closeInstance(id: string, stoppedAt: number): Operation<void> {
  yield* run("UPDATE instances SET stopped_at = ? WHERE id = ?", stoppedAt, id);
}
