// The port to what is remembered of watches: changes that wait for their run, and how files looked when last seen.
import type { DigestedFile } from "../../folders/content_digests.ts";
import type { FileEvent } from "../../run_cause.ts";

/** A change that waits for its run: one per agent and path. */
export interface QueuedChange {
  agentId: string;
  /** Absolute. */
  path: string;
  event: FileEvent;
  /** Milliseconds since the epoch. */
  queuedAt: number;
}

/** A run for a change that has not ended. */
export interface OpenRun {
  executionId: number;
  path: string;
  /** False while it waits for a person. */
  isRunning: boolean;
}

/** How a file looked when its agent was last told of it. */
export interface SeenFile {
  path: string;
  /** Opaque; null: the file is gone, forget it. */
  stamp: string | null;
  /** Of its content, where that is known. */
  digest?: string;
}

/** Each method is one transaction. */
export interface WatchStore {
  /** The agents of which anything is stored. */
  listAgents(): Promise<string[]>;
  /** The changes of an agent, oldest first. */
  readQueue(agentId: string): Promise<QueuedChange[]>;
  /**
   * Puts changes into the queue; a path that is in it already gets the new event. With it, takes out of it what has come to
   * nothing, and marks how files look. False: another machine watches for an agent of them now, and nothing was stored.
   */
  enqueue(
    changes: readonly QueuedChange[],
    also: {
      dropped: readonly { agentId: string; path: string }[];
      seen: readonly (SeenFile & { agentId: string })[];
    },
  ): Promise<boolean>;
  /** Takes changes out that will never run: their agent is gone, or watches something else. */
  dropQueued(changes: readonly { agentId: string; path: string }[]): Promise<void>;
  /** The runs of an agent's changes that have not ended. */
  readOpenRuns(agentId: string): Promise<OpenRun[]>;
  /** How files looked, of an agent that catches up; undefined when nothing was ever stored for it. */
  readSeen(agentId: string): Promise<ReadonlyMap<string, string> | undefined>;
  /** The digests of these files that are known. */
  readDigests(agentId: string): Promise<DigestedFile[]>;
  /** Stores digests of files that still look as they did then. */
  keepDigests(agentId: string, files: readonly DigestedFile[]): Promise<void>;
  /** Marks how files look now, without queueing anything. False as from enqueue(). */
  markSeen(agentId: string, files: readonly SeenFile[]): Promise<boolean>;
  /** Forgets all about agents that watch no more. */
  forgetWatches(agentIds: readonly string[]): Promise<void>;
}

/** Where several machines could watch for an agent, one of them has the lease of this name. */
export function watchLease(agentId: string): string {
  return `watch ${agentId}`;
}
