// What came of a case that was played.
import type { ExecutionStatus } from "../../runtime/executions/states.ts";

/** A tool that was called. */
export interface CalledTool {
  tool: string;
  /** Undefined where the model wrote no JSON object. */
  args: Readonly<Record<string, unknown>> | undefined;
}

/** A run of a case, as it ended. */
export interface PlayedRun {
  status: ExecutionStatus;
  error: string | null;
  output: string | null;
  /** The question that nobody in the case answers. */
  waitsFor?: string;
  /** What the case says nothing of, and the run came to: it ended there. */
  gap: string | undefined;
  /** Replies of the case that the model was never asked for. */
  repliesLeft: number;
  /** Replies that it took. */
  steps: number;
  calls: CalledTool[];
  /** Calls that were refused though the case does not say so: what it says, and what the model read. */
  refused: { tool: string; wanted: string; got: string }[];
  /** Null where no cost is known. */
  costUsd: number | null;
  /** What stands behind the run in each file that the case expects something of; null: there is none. */
  expectedFiles: ReadonlyMap<string, string | null>;
  /** Files that the run made or changed, by path. */
  written: ReadonlyMap<string, string>;
}
