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
  /** Absent if the run is no fork. */
  fork?: Fork;
}
