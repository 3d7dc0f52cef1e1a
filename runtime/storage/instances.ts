// The table of service instances: who left an execution running.
import { type Operation, run } from "./operation.ts";

/** A machine of PostgreSQL's that says nothing for so long is dead: others settle what it left. */
const DEAD_MS = 30_000;

/** Milliseconds since 1970 by PostgreSQL's clock. */
export const NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

/** Whether a machine (named by an SQL expression) lives; in PostgreSQL. */
export function isAlive(instanceId: string): string {
  return `EXISTS (SELECT 1 FROM instances i WHERE i.id = ${instanceId} AND i.stopped_at IS NULL ` +
    `AND i.last_seen > ${NOW} - ${DEAD_MS})`;
}

/** Registers this process; its executions carry the id. */
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

/** Registers a machine of PostgreSQL's, by the database's clock. */
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

/** Notes that it ended in order; nobody is to wait for what it has leased. */
export function* closeNode(id: string, stoppedAt: number): Operation<void> {
  yield* run("DELETE FROM leases WHERE instance_id = ?", id);
  yield* closeInstance(id, stoppedAt);
}

/** Notes that the instance ended in order. */
export function* closeInstance(id: string, stoppedAt: number): Operation<void> {
  yield* run("UPDATE instances SET stopped_at = ? WHERE id = ?", stoppedAt, id);
}
