// What a run was asked to do. Stored with the execution, so that a restarted service knows it too.
import type { RunCause } from "../run_cause.ts";

/** Where a run took its first steps from, and what is different from there on. */
export interface Fork {
  executionId: number;
  /** How many replies were taken, with the results of their calls; 0: the opening alone. */
  step: number;
  /** What a person said at that point; at step 0 in place of what was said there. */
  message?: string;
  /** `provider/name` instead of the agent's. */
  model?: string;
  /** The text of an agent file that holds instead of the agent's. */
  agentText?: string;
  /** Its end starts the agents that run after this one. */
  startsFollowers?: true;
}

/** What an execution was asked for. */
export interface ExecutionRequest {
  args: string[];
  /** Replaces the user turn. */
  message?: string;
  /** Appended to the user turn. */
  context?: string;
  /** Nothing is changed by it: see dry_run.ts. Absent for a real run. */
  dryRun?: true;
  /** Why it began by itself; absent where a person or a program asked. */
  cause?: RunCause;
  /** Absent: it began at its beginning. */
  fork?: Fork;
}
