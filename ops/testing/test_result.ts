// A case that can be played, and what came of it.
import type { Diagnostic } from "../../base/diagnostics.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import type { CaseFile } from "./case_files.ts";
import type { CheckedCase } from "./check_case.ts";
import type { TestCase } from "./test_case.ts";

/** What came of one case. */
export interface TestResult extends CaseFile, CheckedCase {
  /** What keeps it from being played: everything that is wrong with its file, or its agent's. */
  problems: Diagnostic[];
  steps: number;
  durationMs: number;
}

/** A case that can be played, with its agent. */
export interface PlayableCase {
  file: CaseFile;
  test: TestCase;
  agent: Agent;
  /** The agent as its file says, where another model is tried. */
  ownAgent?: Agent;
}

/** Whether all of a case was checked and is right. */
export function isPassed({ problems, failures, unjudged }: TestResult): boolean {
  return problems.length === 0 && failures.length === 0 && unjudged.length === 0;
}

/** The result of a case before it is played. */
export function toUnplayed(file: CaseFile): TestResult {
  const checked = { failures: [], unjudged: [], costUsd: null };
  return { ...file, ...checked, problems: [], steps: 0, durationMs: 0 };
}
