// Defines the causes of runs that neither a person nor a program requested, and the trigger events that the runs consume.
import type { EventTriggerType } from "./trigger_kinds.ts";

/** The kinds of changes of a watched file. */
export const FILE_EVENTS = ["created", "modified", "deleted", "moved"] as const;
/** A kind of change of a watched file. */
export type FileEvent = typeof FILE_EVENTS[number];

/** The cause of a scheduled run: a due time of the agent's schedule. */
export interface ScheduleCause {
  type: "schedule";
  /** The due time in milliseconds since the epoch. */
  scheduledFor: number;
}

/** The cause of a run by `watch`: a watched file changed. */
export interface WatchCause {
  type: "watch";
  event: FileEvent;
  /** The absolute path of the file. The new path of a moved file. */
  path: string;
}

/** The cause of a run by `webhook`: a delivery. All of its texts are untrusted. */
export interface WebhookCause {
  type: "webhook";
  /** The sender's name of the event. Null if the sender gives none. */
  event: string | null;
  /**
   * The headers that `trigger.input` contains, by the names used there. A header with the sender's signature or token is
   * never included.
   */
  headers: Record<string, string>;
  /** The received body. For a form with a JSON field, the text of that field. */
  body: string;
}

/** The cause of a run by `after`: an execution of another agent ended. That execution's answer is the new run's context. */
export interface AfterCause {
  type: "after";
  agentId: string;
  displayName: string;
  executionId: number;
  /** The final status of the other agent's execution. */
  status: string;
  error: string | null;
  /** The number of runs in this chain that `after` has started. */
  depth: number;
}

/** The cause of a delegated run: another agent used the tool run_agent. */
export interface AgentCause {
  type: "agent";
  agentId: string;
  displayName: string;
  executionId: number;
}

/** The cause of a run by an event without a cause type of its own: a found change, a mail. All values are untrusted. */
export interface EventCause {
  type: EventTriggerType;
  /** A sentence about the event. Names from outside are quoted in it. */
  summary: string;
  /** The values by the names of their placeholders in `trigger.input`. */
  values: Record<string, string>;
  /** The names of the values that the user message contains without `trigger.input`. */
  shown: string[];
}

/** A mail that starts a run. `messageId` is empty if the mail has none. */
export interface TakenMail {
  account: string;
  folder: string;
  /** The UIDVALIDITY of the folder. With another one, `uid` names another mail. */
  uidValidity: number;
  uid: number;
  messageId: string;
  sender: string;
}

/** The cause of a run, which its user turn describes. Stored with the run's request. */
export type RunCause =
  | ScheduleCause
  | WatchCause
  | WebhookCause
  | AfterCause
  | AgentCause
  | EventCause;

/**
 * A trigger event that is consumed in the transaction that accepts its execution, so that the event starts no second
 * execution.
 */
export type Claim =
  /** A due time of the agent's schedule. `reason` is the reason why the run is late, or null. */
  | { type: "slot"; scheduledFor: number; reason: string | null }
  /** The due time of a check that found a change. */
  | {
    type: "check";
    scheduledFor: number;
    /** True for the last run of the check. It stores the outcome of the due time. */
    isLast: boolean;
    /** True if no run starts while the previous run of the trigger has not ended. */
    isAlone: boolean;
    /** The stored check before this change, and its replacement. */
    check: { before: string; after: string };
  }
  /** The queued change of a watched file. */
  | { type: "change"; path: string }
  /** A mail. */
  | { type: "mail"; mail: TakenMail }
  /** The end of an execution that starts the agent. */
  | { type: "end"; executionId: number };
