// The request of an execution. Stored with the execution, so that a restarted service can continue it.
import type { RunCause } from "../vocabulary/run_cause.ts";

/** The source of a fork, and the changes that apply from the fork point on. */
export interface Fork {
  executionId: number;
  /** The number of copied replies with the results of their calls. 0 copies only the opening messages. */
  step: number;
  /** A person's message at the fork point. At step 0, the message replaces the original user turn. */
  message?: string;
  /** The model to use instead of the agent's, as `provider/name`. */
  model?: string;
  /** The text of an agent file to use instead of the agent's file. */
  agentText?: string;
  /** Set if the fork's end starts the agents with an `after` trigger on this agent. */
  startsFollowers?: true;
}

/** A message that a request brings. `pictures` are in base64. */
export interface BroughtMessage {
  role: "user" | "assistant";
  content: string;
  pictures?: readonly string[] | undefined;
}

/** The messages that a request brings. `history` and `continues` exclude each other. */
export interface BroughtMessages {
  /** The messages before the request's own. The run has no other history, and no other run has this run in its history. */
  history?: readonly BroughtMessage[];
  /** The ended execution whose conversation is the history, like `history`. */
  continues?: number;
  /** The pictures of the request's message, in base64. */
  pictures?: readonly string[];
}

/** The mark of a request that brought messages. The messages themselves are stored with the execution's conversation. */
export interface BroughtMark {
  /** The SHA-256 of the messages, by which requests are compared. */
  digest: string;
  /**
   * True if the messages are the whole history of the execution. It then neither continues other executions nor is
   * continued by them, and does not wait for them.
   */
  isHistory?: true;
}

/** A run of a text that is not saved. */
export interface Trial {
  /** The text of an agent file to use instead of the agent's file. Its budget is the saved file's. */
  agentText?: string;
}

/** The request of an execution. */
export interface ExecutionRequest {
  args: string[];
  /** The message that replaces the agent's own user turn. */
  message?: string;
  /** A text that is appended to the user turn. */
  context?: string;
  /** Set for a dry run, see dry_run.ts. */
  dryRun?: true;
  /** The cause of an automatic start. Absent if a person or a program requested the run. */
  cause?: RunCause;
  /** The absolute path of the folder that is open in the editor. Absent if no editor requested the run. */
  editorFolder?: string;
  /** Absent if the request brought no messages of its own. */
  brought?: BroughtMark;
  /** Absent if the run is no fork. */
  fork?: Fork;
  /** Set for a trial, which keeps no memory and starts no agents, and for the runs that it delegates to. */
  trial?: Trial;
}
