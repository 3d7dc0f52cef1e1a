// Types: a case that can be played, and the result of a case.
import type { Diagnostic } from "../../base/diagnostics.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import type { CaseFile } from "./case_files.ts";
import type { CheckedCase } from "./check_case.ts";
import type { TestCase } from "./test_case.ts";

/** The result of one case, played or not. */
export interface TestResult extends CaseFile, CheckedCase {
  /** The reasons why the case cannot be played: problems of its file or of its agent. Empty if it was played. */
  problems: Diagnostic[];
  steps: number;
  durationMs: number;
}

/** A parsed case with its agent. */
export interface PlayableCase {
  file: CaseFile;
  test: TestCase;
  agent: Agent;
  /** The agent as in its file. Only present if `agent` has another model for a trial. */
  ownAgent?: Agent;
}

/** Returns true if every expectation of a case was checked and passed. */
export function isPassed({ problems, failures, unjudged }: TestResult): boolean {
  return problems.length === 0 && failures.length === 0 && unjudged.length === 0;
}

/** Returns the initial result of a case that was not played. */
export function toUnplayedResult(file: CaseFile): TestResult {
  const checked = { failures: [], unjudged: [], costUsd: null };
  return { ...file, ...checked, problems: [], steps: 0, durationMs: 0 };
}
