// A case that can be played, and what came of it.
import type { Diagnostic } from "../../../base/diagnostics.ts";
import type { Agent } from "../../agents/agent.ts";
import type { CaseFile } from "./case_files.ts";
import type { TestFailure } from "./check_run.ts";
import type { TestCase } from "./test_case.ts";

/** What came of one case. */
export interface TestResult extends CaseFile {
  /** What keeps it from being played: everything that is wrong with its file, or its agent's. */
  problems: Diagnostic[];
  /** What is not as it should be. */
  failures: TestFailure[];
  steps: number;
  /** Null where no cost is known. */
  costUsd: number | null;
  durationMs: number;
}

/** A case that can be played, with its agent. */
export interface PlayableCase {
  file: CaseFile;
  test: TestCase;
  agent: Agent;
}

/** Whether a case passed. */
export function isPassed({ problems, failures }: TestResult): boolean {
  return problems.length === 0 && failures.length === 0;
}

/** The result of a case before it is played. */
export function toUnplayed(file: CaseFile): TestResult {
  return { ...file, problems: [], failures: [], steps: 0, costUsd: null, durationMs: 0 };
}
