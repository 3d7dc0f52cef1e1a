// The store interface for the size of stored conversations, and for removing old ones.

/** The size of one agent's stored conversations. */
export interface AgentCheckpoints {
  agentId: string;
  /** Executions with a stored conversation. */
  threads: number;
  messages: number;
  /** The size of the messages alone. */
  bytes: number;
}

/** The size of all stored conversations. */
export interface CheckpointStats {
  /** The database file. */
  path: string;
  /** The size of the file with its write-ahead log. */
  sizeBytes: number;
  threads: number;
  /** By agent id. */
  agents: AgentCheckpoints[];
}

/** Selects conversations to remove. It never includes running and waiting executions. */
export interface PurgeSelection {
  /** Only conversations of this agent. */
  agentId?: string;
  /** Only conversations of executions that ended before this time, in milliseconds since the epoch. */
  endedBefore?: number;
  /** Keep the newest conversation of each agent. */
  keepNewest: boolean;
}

/** Measures and removes stored conversations and old executions. */
export interface CheckpointStore {
  readStats(): Promise<CheckpointStats>;
  /** Removes conversations and frees their space. The log of their executions stays. Returns the number of conversations. */
  purge(selection: PurgeSelection): Promise<number>;
  /**
   * Removes executions that ended before a time, with all their data. Returns the number of executions. A delegated
   * execution is removed with its parent, never before it.
   */
  removeExecutions(endedBefore: number): Promise<number>;
  /** Returns the ids of waiting executions of one agent or of all, oldest first, so that parents precede their children. */
  findWaiting(agentId: string | undefined): Promise<number[]>;
}
