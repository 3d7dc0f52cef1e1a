// The port to stored conversations as a stock: how much there is, and what may go.

/** What one agent's conversations take. */
export interface AgentCheckpoints {
  agentId: string;
  /** Executions with a stored conversation. */
  threads: number;
  messages: number;
  /** Of the messages alone. */
  bytes: number;
}

/** What all conversations take. */
export interface CheckpointStats {
  /** The database file. */
  path: string;
  /** Of the file, with its write-ahead log. */
  sizeBytes: number;
  threads: number;
  /** By agent id. */
  agents: AgentCheckpoints[];
}

/** Which conversations to remove. Those of running and waiting executions are never among them. */
export interface PurgeSelection {
  /** Only this agent's. */
  agentId?: string;
  /** Only of executions that ended before this time, in milliseconds since the epoch. */
  endedBefore?: number;
  /** Keep the newest conversation of each agent. */
  keepNewest: boolean;
}

/** The port to stored conversations and to what is old enough to go. */
export interface CheckpointStore {
  readStats(): Promise<CheckpointStats>;
  /** Removes conversations (the log of their executions stays) and gives the space back; returns how many. */
  purge(selection: PurgeSelection): Promise<number>;
  /**
   * Removes executions that ended before a time, with all that belongs to them; returns how many. What another one
   * delegated goes with that one, never before it.
   */
  removeExecutions(endedBefore: number): Promise<number>;
  /** Ids of executions that wait, of this agent or of all, the oldest first: a parent before what it waits for. */
  findWaiting(agentId: string | undefined): Promise<number[]>;
}
