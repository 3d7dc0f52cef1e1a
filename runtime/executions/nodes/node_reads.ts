// The read interface to the services that share a database. With SQLite there is one service, and it is not a node.

/** A node without a heartbeat for this long is dead. Its executions are given to other nodes. */
export const LIFE_MS = 15_000;

/** One of the services that share a database. Times are the database's. */
export interface ServiceNode {
  name: string;
  version: string;
  labels: readonly string[];
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Time since its last heartbeat, in milliseconds. */
  silentMs: number;
  isAlive: boolean;
  /** The number of running executions that it holds. */
  runs: number;
  /** True for this process. */
  isThis: boolean;
}

/** The executions of an agent that are stored as running and that no live node holds. */
export interface UnclaimedRuns {
  agentId: string;
  /** The number of executions. */
  count: number;
  /** The id of the first one. */
  id: number;
}

/** Reads nodes, and executions that no node holds. */
export interface NodeReads {
  /**
   * Returns live nodes by name. Dead nodes are included while their executions are unclaimed, and for an hour unless a node
   * with the same name has started since.
   */
  listNodes(): Promise<ServiceNode[]>;

  /** Returns those of the given executions that are stored as running and that no live node holds. */
  findUnclaimed(ids: readonly number[]): Promise<number[]>;

  /** Counts such executions that started at least `begunMsAgo` ago, by agent, sorted by id. Agents without any are left out. */
  countUnclaimed(
    agentIds: readonly string[],
    options: { begunMsAgo: number },
  ): Promise<UnclaimedRuns[]>;
}
