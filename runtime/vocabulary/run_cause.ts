// The causes of runs that neither a person nor a program requested.

/** The values of FileEvent. */
export const FILE_EVENTS = ["created", "modified", "deleted", "moved"] as const;
/** The change of a watched file. */
export type FileEvent = typeof FILE_EVENTS[number];

/** A schedule's time was due. */
export interface ScheduleCause {
  type: "schedule";
  /** The slot: the scheduled time, in milliseconds since the epoch. */
  scheduledFor: number;
}

/** A watched file changed. */
export interface WatchCause {
  type: "watch";
  event: FileEvent;
  /** Absolute; the new path of a moved file. */
  path: string;
}

/** A webhook delivery arrived. All of it is untrusted text. */
export interface WebhookCause {
  type: "webhook";
  /** The sender's name of the event; null: it sends none. */
  event: string | null;
  /** The headers that `trigger.input` names, by their names there. No header with the sender's proof is included. */
  headers: Record<string, string>;
  /** The body as received; of a form with a JSON field, that JSON. */
  body: string;
}

/** An execution of the followed agent ended; its answer is the run's context. */
export interface AfterCause {
  type: "after";
  agentId: string;
  displayName: string;
  executionId: number;
  /** Its final status. */
  status: string;
  error: string | null;
  /** The number of follow-up runs in the chain. */
  depth: number;
}

/** Another agent delegated to this one. */
export interface AgentCause {
  type: "agent";
  agentId: string;
  displayName: string;
  executionId: number;
}

/** The cause of a run, for its user turn. Stored with the run's request. */
export type RunCause = ScheduleCause | WatchCause | WebhookCause | AfterCause | AgentCause;
