// The request of an execution. Stored with the execution, so that a restarted service can continue it.
import type { RunCause } from "../vocabulary/run_cause.ts";

/** The source of a forked run, and the changes that apply from the fork point on. */
export interface Fork {
  executionId: number;
  /** The number of copied replies, with the results of their calls. 0 copies the opening alone. */
  step: number;
  /** A person's message at the fork point. At step 0 it replaces the original user turn. */
  message?: string;
  /** A model to use instead of the agent's, as `provider/name`. */
  model?: string;
  /** The text of an agent file to use instead of the agent's. */
  agentText?: string;
  /** The fork's end starts the agents with an `after` trigger on this agent. */
  startsFollowers?: true;
}

/** The request of an execution. */
export interface ExecutionRequest {
  args: string[];
  /** Replaces the user turn. */
  message?: string;
  /** Appended to the user turn. */
  context?: string;
  /** A dry run: see dry_run.ts. Absent for a real run. */
  dryRun?: true;
  /** The cause of an automatic start. Absent if a person or a program requested the run. */
  cause?: RunCause;
  /** Absent if the run is no fork. */
  fork?: Fork;
}
