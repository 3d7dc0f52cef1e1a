// The result of a played case.
import type { ExecutionStatus } from "../../runtime/executions/states.ts";

/** A tool that was called. */
export interface CalledTool {
  tool: string;
  /** Undefined when the model wrote no JSON object. */
  args: Readonly<Record<string, unknown>> | undefined;
}

/** The run of a case at its end. */
export interface PlayedRun {
  status: ExecutionStatus;
  error: string | null;
  output: string | null;
  /** The question that no answer in the case fits. */
  waitsFor?: string;
  /** The first gap of the script, which ended the run. */
  gap: string | undefined;
  /** The number of the case's replies that the model was never asked for. */
  repliesLeft: number;
  /** The number of replies that the run used. */
  steps: number;
  calls: CalledTool[];
  /**
   * Calls that were refused although the case does not expect it: the expected result, and the text that the model
   * read.
   */
  refused: { tool: string; wanted: string; got: string }[];
  /** Null when the cost is unknown. */
  costUsd: number | null;
  /** The final content of each file that the case checks; null: the file does not exist. */
  expectedFiles: ReadonlyMap<string, string | null>;
  /** The files that the run created or changed, by path. */
  written: ReadonlyMap<string, string>;
}
