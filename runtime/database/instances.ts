// The table of service instances. Each running execution names the instance that runs it.
import { type Operation, run } from "./operation.ts";

/** A node without a heartbeat for this time is dead, and other nodes recover its executions. */
const DEAD_MS = 30_000;

/** SQL: the milliseconds since 1970 by PostgreSQL's clock. */
export const NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

/** Returns an SQL condition for PostgreSQL: the node with this id (an SQL expression) is alive. */
export function isAlive(instanceId: string): string {
  return `EXISTS (SELECT 1 FROM instances i WHERE i.id = ${instanceId} AND i.stopped_at IS NULL ` +
    `AND i.last_seen > ${NOW} - ${DEAD_MS})`;
}

/** Registers this process under its instance id. */
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

/** Registers a node in PostgreSQL, with the time of the database's clock. */
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

/** Records a node's regular stop and releases its leases. */
export function* closeNode(id: string, stoppedAt: number): Operation<void> {
  yield* run("DELETE FROM leases WHERE instance_id = ?", id);
  yield* closeInstance(id, stoppedAt);
}

/** Records an instance's regular stop. */
export function* closeInstance(id: string, stoppedAt: number): Operation<void> {
  yield* run("UPDATE instances SET stopped_at = ? WHERE id = ?", stoppedAt, id);
}
