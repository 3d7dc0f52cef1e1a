// The port to the stored state of watches: queued changes, and the last snapshot of files.
import type { DigestedFile } from "../../folders/content_digests.ts";
import type { FileEvent } from "../../run_cause.ts";

/** A change that waits for its run. There is one per agent and path. */
export interface QueuedChange {
  agentId: string;
  /** Absolute. */
  path: string;
  event: FileEvent;
  /** Milliseconds since the epoch. */
  queuedAt: number;
}

/** An open run for a change. */
export interface OpenRun {
  executionId: number;
  path: string;
  /** False while it waits for a person. */
  isRunning: boolean;
}

/** The last state of a file that its agent has seen. */
export interface SeenFile {
  path: string;
  /** Opaque; null: the file is gone, remove it. */
  stamp: string | null;
  /** The digest of its content, if known. */
  digest?: string;
}

/** Each method is one transaction. */
export interface WatchStore {
  /** Returns the agents with stored state. */
  listAgents(): Promise<string[]>;
  /** Returns the changes of an agent, oldest first. */
  readQueue(agentId: string): Promise<QueuedChange[]>;
  /**
   * Queues changes; a queued path gets the new event. In the same transaction removes changes that were undone, and
   * stores the files' stamps. Returns false when another machine watches for one of the agents now; nothing is stored
   * then.
   */
  enqueue(
    changes: readonly QueuedChange[],
    also: {
      dropped: readonly { agentId: string; path: string }[];
      seen: readonly (SeenFile & { agentId: string })[];
    },
  ): Promise<boolean>;
  /** Removes changes that can never run, because their agent is gone or watches something else. */
  dropQueued(changes: readonly { agentId: string; path: string }[]): Promise<void>;
  /** Returns the open runs for the agent's changes. */
  readOpenRuns(agentId: string): Promise<OpenRun[]>;
  /** Returns the last stamps of an agent that catches up, or undefined when nothing was ever stored for it. */
  readSeen(agentId: string): Promise<ReadonlyMap<string, string> | undefined>;
  /** Returns the known digests of these files. */
  readDigests(agentId: string): Promise<DigestedFile[]>;
  /** Stores digests of files that have the same stamp still. */
  keepDigests(agentId: string, files: readonly DigestedFile[]): Promise<void>;
  /** Stores the files' stamps without queueing anything. Returns false as enqueue() does. */
  markSeen(agentId: string, files: readonly SeenFile[]): Promise<boolean>;
  /** Removes all state of agents that watch no more. */
  forgetWatches(agentIds: readonly string[]): Promise<void>;
}

/** Returns the name of the lease that decides which of several machines watches for an agent. */
export function watchLease(agentId: string): string {
  return `watch ${agentId}`;
}
