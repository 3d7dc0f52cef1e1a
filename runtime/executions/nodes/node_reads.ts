// The port to the services that share a database, for whoever only looks. With SQLite there is one, and it is no node.

/** A node that has given no sign of life for so long is dead, and what it had is given to others. */
export const LIFE_MS = 15_000;

/** One of the services that share a database. Times are the database's. */
export interface ServiceNode {
  name: string;
  version: string;
  labels: readonly string[];
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** For how long it has given no sign of life, in milliseconds. */
  silentMs: number;
  isAlive: boolean;
  /** How many executions that run it has. */
  runs: number;
  /** Whether it is this process. */
  isThis: boolean;
}

/** Executions of an agent that run, by what is stored, and that no living node has. */
export interface UnclaimedRuns {
  agentId: string;
  /** How many. */
  count: number;
  /** The first of them. */
  id: number;
}

/** Nodes, and what none of them has. */
export interface NodeReads {
  /**
   * Those that live, by name; of those that died, the ones whose executions nobody has taken yet, and the ones of the last hour
   * that have not come back under their names.
   */
  listNodes(): Promise<ServiceNode[]>;

  /** Those of these executions that run, by what is stored, and that no living node has. */
  findUnclaimed(ids: readonly number[]): Promise<number[]>;

  /** Of these agents, the ones with such executions that were begun so long ago, and how many; by id. */
  countUnclaimed(
    agentIds: readonly string[],
    options: { begunMsAgo: number },
  ): Promise<UnclaimedRuns[]>;
}
