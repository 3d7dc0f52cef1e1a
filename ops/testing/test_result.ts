// A playable case, and its result.
import type { Diagnostic } from "../../base/diagnostics.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import type { CaseFile } from "./case_files.ts";
import type { CheckedCase } from "./check_case.ts";
import type { TestCase } from "./test_case.ts";

/** The result of one case. */
export interface TestResult extends CaseFile, CheckedCase {
  /** The reasons why it cannot be played: all problems of its file, or of its agent. */
  problems: Diagnostic[];
  steps: number;
  durationMs: number;
}

/** A case that can be played, with its agent. */
export interface PlayableCase {
  file: CaseFile;
  test: TestCase;
  agent: Agent;
  /** The agent as in its file, when another model is tried. */
  ownAgent?: Agent;
}

/** Returns true when all of a case was checked and passed. */
export function isPassed({ problems, failures, unjudged }: TestResult): boolean {
  return problems.length === 0 && failures.length === 0 && unjudged.length === 0;
}

/** Returns the result of a case before it is played. */
export function toUnplayedResult(file: CaseFile): TestResult {
  const checked = { failures: [], unjudged: [], costUsd: null };
  return { ...file, ...checked, problems: [], steps: 0, durationMs: 0 };
}
