// The store interface for measuring and removing stored conversations.
import type { AuditEntry } from "../../audit/audit_table.ts";

/** The size of one agent's stored conversations. */
export interface AgentCheckpoints {
  agentId: string;
  /** The number of executions with a stored conversation. */
  threads: number;
  messages: number;
  /** The size of the stored messages in bytes. */
  bytes: number;
}

/** The size of all stored conversations. */
export interface CheckpointStats {
  /** The path of the database file. */
  path: string;
  /** The size in bytes of the database file and its write-ahead log. */
  sizeBytes: number;
  threads: number;
  /** The sizes by agent, sorted by the agent's id. */
  agents: AgentCheckpoints[];
}

/** Selects conversations to remove. Conversations of running and waiting executions are never selected. */
export interface PurgeSelection {
  /** Selects only conversations of this agent. */
  agentId?: string;
  /** Selects only conversations of executions that ended before this time, in milliseconds since the epoch. */
  endedBefore?: number;
  /** True if the newest conversation of each agent is kept. */
  keepNewest: boolean;
  audit?: AuditEntry | undefined;
}

/** Measures and removes stored conversations and old executions. */
export interface CheckpointStore {
  readStats(): Promise<CheckpointStats>;
  /**
   * Removes conversations and frees their space in the database. The log of their executions stays. Returns the number of
   * removed conversations.
   */
  purge(selection: PurgeSelection): Promise<number>;
  /**
   * Removes executions that ended before a time, with all their data, and returns their number. A delegated execution is
   * removed with its parent, never earlier.
   */
  removeExecutions(endedBefore: number): Promise<number>;
  /**
   * Returns the ids of the waiting executions of one agent or of all agents, oldest first, so that parents precede their
   * children.
   */
  findWaiting(agentId: string | undefined): Promise<number[]>;
}
