// Why a run began, where neither a person nor a program asked for it.

/** The kinds of FileEvent. */
export const FILE_EVENTS = ["created", "modified", "deleted", "moved"] as const;
/** What happened to a watched file. */
export type FileEvent = typeof FILE_EVENTS[number];

/** A schedule's time has come. */
export interface ScheduleCause {
  type: "schedule";
  /** The slot: when it was due, in milliseconds since the epoch. */
  scheduledFor: number;
}

/** A watched file has changed. */
export interface WatchCause {
  type: "watch";
  event: FileEvent;
  /** Absolute; where a moved file is now. */
  path: string;
}

/** Another agent delegated to this one. */
export interface AgentCause {
  type: "agent";
  agentId: string;
  displayName: string;
  executionId: number;
}

/** What the user turn of such a run tells. Stored with the run's request. */
export type RunCause = ScheduleCause | WatchCause | AgentCause;
