// Reads the nodes and the unclaimed executions from PostgreSQL. With SQLite there are no nodes.
import { HOUR_MS } from "../../../base/time_units.ts";
import type { Database } from "../../database/database.ts";
import { NOW } from "../../database/instances.ts";
import { all } from "../../database/operation.ts";

/**
 * The time in milliseconds after the last heartbeat at which a node counts as dead. Other nodes then run its executions.
 */
export const LIFE_MS = 15_000;

/** A service that shares a database with other services. Times are from the database's clock. */
export interface ServiceNode {
  name: string;
  version: string;
  labels: readonly string[];
  /** The start of the service in milliseconds since the epoch. */
  startedAt: number;
  /** The time since the node's last heartbeat in milliseconds. */
  silentMs: number;
  isAlive: boolean;
  /** The number of running executions that the node holds. */
  runs: number;
  /** True if the node is this process. */
  isThis: boolean;
}

/** The executions of an agent that are stored as running and that no live node holds. */
export interface UnclaimedRuns {
  agentId: string;
  /** The number of executions. */
  count: number;
  /** The id of the oldest of these executions. */
  id: number;
}

/** SQL for the running executions that no live node holds. `i` is the node that held an execution last. */
const UNCLAIMED = "executions AS e LEFT JOIN instances AS i ON i.id = e.instance_id " +
  "WHERE e.status = 'running' AND e.rests_until IS NULL AND (i.id IS NULL OR i.stopped_at IS NOT NULL " +
  `OR coalesce(i.last_seen, 0) < ${NOW} - ${LIFE_MS})`;

type NodeRow = Omit<ServiceNode, "version" | "labels" | "isAlive" | "isThis"> & {
  id: string;
  version: string | null;
  /** The node's labels as a JSON array. */
  labels: string;
  lastSeen: number;
};

/** Reads the nodes. Only the PostgreSQL schema has the columns for them. */
export class SqlNodeReads {
  readonly #db: Database;
  readonly #instanceId: string;

  constructor(db: Database, instanceId: string) {
    this.#db = db;
    this.#instanceId = instanceId;
  }

  /**
   * Returns the nodes, sorted by name: all live nodes, dead nodes with unclaimed executions, and nodes that died within the
   * last hour and were not started again under the same name.
   */
  async listNodes(): Promise<ServiceNode[]> {
    const rows = await this.#db.read(function* () {
      return yield* all<NodeRow>(
        "SELECT i.id, name, version, labels, started_at AS startedAt, last_seen AS lastSeen, greatest(0, " +
          `${NOW} - last_seen) AS silentMs, coalesce(held.runs, 0) AS runs FROM instances AS i ` +
          "LEFT JOIN (SELECT instance_id, count(*) AS runs FROM executions WHERE status = 'running' " +
          "AND rests_until IS NULL GROUP BY instance_id) AS held ON held.instance_id = i.id " +
          "WHERE stopped_at IS NULL AND name IS NOT NULL AND last_seen IS NOT NULL " +
          `AND (held.runs > 0 OR last_seen >= ${NOW} - ${HOUR_MS}) ORDER BY name, i.rowid`,
      );
    });
    const living = rows.filter(isAlive);
    const hasReturned = ({ name, lastSeen }: NodeRow) =>
      living.some((one) => one.name === name && one.startedAt >= lastSeen);
    const shown = rows.filter((row) => isAlive(row) || row.runs > 0 || !hasReturned(row));
    return shown.map(({ id, lastSeen: _, ...row }) => ({
      ...row,
      version: row.version ?? "",
      labels: JSON.parse(row.labels),
      isAlive: isAlive(row),
      isThis: id === this.#instanceId,
    }));
  }

  /** Returns the given executions that are running but held by no live node. */
  findUnclaimed(ids: readonly number[]): Promise<number[]> {
    return this.#db.read(function* () {
      const rows = yield* all<{ id: number }>(
        `SELECT e.id FROM ${UNCLAIMED} ` +
          "AND e.id IN (SELECT CAST(asked.value AS BIGINT) FROM json_each(?) AS asked) ORDER BY e.id",
        JSON.stringify(ids),
      );
      return rows.map(({ id }) => id);
    });
  }

  /**
   * Returns the number of unclaimed executions of each agent in `agentIds`, sorted by id. Only executions that began at
   * least `begunMsAgo` milliseconds ago count.
   */
  countUnclaimed(
    agentIds: readonly string[],
    { begunMsAgo }: { begunMsAgo: number },
  ): Promise<UnclaimedRuns[]> {
    return this.#db.read(function* () {
      return yield* all<UnclaimedRuns>(
        `SELECT e.agent_id AS agentId, count(*) AS count, min(e.id) AS id FROM ${UNCLAIMED} ` +
          "AND e.agent_id IN (SELECT asked.value FROM json_each(?) AS asked) " +
          `AND e.started_at <= ${NOW} - CAST(? AS BIGINT) GROUP BY e.agent_id ORDER BY e.agent_id`,
        JSON.stringify(agentIds),
        begunMsAgo,
      );
    });
  }
}

function isAlive({ silentMs }: Pick<NodeRow, "silentMs">): boolean {
  return silentMs <= LIFE_MS;
}
