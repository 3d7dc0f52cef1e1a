// The result of a played case.
import type { ExecutionStatus } from "../../runtime/executions/states.ts";

/** A tool call of the run. */
export interface CalledTool {
  tool: string;
  /** The call's arguments. Undefined if the model wrote no JSON object. */
  args: Readonly<Record<string, unknown>> | undefined;
}

/** The outcome of a played run. */
export interface PlayedRun {
  status: ExecutionStatus;
  error: string | null;
  output: string | null;
  /** The question that the run waits for, because the case has no answer. */
  waitsFor?: string;
  /**
   * A sentence about the first gap, which ended the run: a call or question without a reply in the case, or the time limit
   * of the play. Undefined if there is no gap.
   */
  gap: string | undefined;
  /** The number of scripted replies that the run did not use. */
  repliesLeft: number;
  /** The number of the model's replies in the run. */
  steps: number;
  calls: CalledTool[];
  /**
   * The calls that were refused although the case expects no refusal, each with the scripted result and the text that the
   * model read.
   */
  refused: { tool: string; wanted: string; got: string }[];
  /** The run's cost in dollars. Null if it is unknown. */
  costUsd: number | null;
  /** The final content of each file that the case checks, by path. Null if the file does not exist. */
  expectedFiles: ReadonlyMap<string, string | null>;
  /** The content of each file that the run created or changed, by path. */
  written: ReadonlyMap<string, string>;
}
