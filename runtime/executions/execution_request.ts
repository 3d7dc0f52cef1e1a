// What a run was asked to do. Stored with the execution, so that a restarted service knows it too.
import type { RunCause } from "../run_cause.ts";

/** What an execution was asked for. */
export interface ExecutionRequest {
  args: string[];
  /** Replaces the user turn. */
  message?: string;
  /** Appended to the user turn. */
  context?: string;
  /** Why it began by itself; absent where a person or a program asked. */
  cause?: RunCause;
}
