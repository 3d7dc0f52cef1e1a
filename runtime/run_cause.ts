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

/** Somebody sent a signed delivery. All of it is somebody else's text. */
export interface WebhookCause {
  type: "webhook";
  /** What happened, as the sender calls it; null where it does not say. */
  event: string | null;
  /** Of the headers only what `trigger.input` names, by the name there; none that proves who sent it. */
  headers: Record<string, string>;
  /** As it came; of a form that carries JSON, that JSON. */
  body: string;
}

/** An execution of the agent that this one follows has ended; what it answered is the run's context. */
export interface AfterCause {
  type: "after";
  agentId: string;
  displayName: string;
  executionId: number;
  /** Its final status. */
  status: string;
  error: string | null;
  /** How many ends led to this run, one by the other. */
  depth: number;
}

/** Another agent delegated to this one. */
export interface AgentCause {
  type: "agent";
  agentId: string;
  displayName: string;
  executionId: number;
}

/** What the user turn of such a run tells. Stored with the run's request. */
export type RunCause = ScheduleCause | WatchCause | WebhookCause | AfterCause | AgentCause;
