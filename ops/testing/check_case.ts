// Checks a run against all expectations of its case: comparisons, then the JSON Schema, then the judges. A judge's model is
// called only if everything else passes.
import type { Agent } from "../../runtime/agents/agent.ts";
import { OutputSchemaUnusable } from "../../runtime/agents/output_schema.ts";
import { findFaults } from "../../runtime/executions/loop/fit_answer.ts";
import { checkRun, type TestFailure } from "./check_run.ts";
import { askJudge, checkAnswers } from "./judge.ts";
import type { LiveModel } from "./play_case.ts";
import type { PlayedRun } from "./played_run.ts";
import type { Judge, TestCase } from "./test_case.ts";
import type { TestPorts } from "./test_ports.ts";

/** The failed expectations and the cost of a played case. */
export interface CheckedCase {
  failures: TestFailure[];
  /** The questions of judges that no model was asked and for which the case has no answers. */
  unjudged: string[];
  /** The cost of the run and of its judges in dollars. Null if it is unknown. */
  costUsd: number | null;
}

/** The agent, the shared objects and the real models of a check. */
export interface CheckOptions {
  /** The agent as in its file. Its model also judges, unless a judge names a model. */
  agent: Agent;
  ports: TestPorts;
  /** The real models of judges. If absent, no model is called. */
  models?: LiveModel;
}

/** Returns the failed expectations of a played case, the judges that gave no answer, and the cost. */
export async function checkCase(
  test: TestCase,
  run: PlayedRun,
  options: CheckOptions,
): Promise<CheckedCase> {
  const failures = checkRun(test, run);
  if (run.gap === undefined) failures.push(...await checkSchema(test, run, options));
  const checked: CheckedCase = { failures, unjudged: [], costUsd: run.costUsd };
  if (failures.length > 0) return checked;
  for (const judge of test.expect.judge) await addVerdict(checked, judge, { run, ...options });
  return checked;
}

async function checkSchema(
  { expect: { output: check } }: TestCase,
  { output }: PlayedRun,
  { agent, ports }: CheckOptions,
): Promise<TestFailure[]> {
  // Other expectations report a missing answer.
  if (check?.schema === undefined || output === null) return [];
  const failure = (got: string): TestFailure => ({
    what: "output.schema",
    expected: "an answer that fits the schema",
    got,
  });
  try {
    const format = await ports.run.openFormat({ ...agent, output: check.schema });
    if (format === undefined) throw new TypeError("A schema makes a format");
    const { signal } = new AbortController();
    const faults = await findFaults(output, format, { signal });
    return faults.length === 0 ? [] : [failure(faults.join("\n"))];
  } catch (error) {
    if (!(error instanceof OutputSchemaUnusable)) throw error;
    return [failure(error.message)];
  }
}

async function addVerdict(
  checked: CheckedCase,
  judge: Judge,
  { run, agent, ports, models }: CheckOptions & { run: PlayedRun },
): Promise<void> {
  const { question, file, answers } = judge;
  const text = file === undefined ? run.output : run.expectedFiles.get(file) ?? null;
  if (text === null) {
    const expected = file === undefined ? "an answer" : `the file ${JSON.stringify(file)}`;
    checked.failures.push({ what: `judge ${JSON.stringify(question)}`, expected, got: "none" });
  } else if (models !== undefined) {
    const { failure, costUsd } = await askJudge(judge, { text, agent, models });
    if (failure !== undefined) checked.failures.push(ports.redactor.redactValue(failure));
    checked.costUsd = checked.costUsd === null || costUsd === null
      ? null
      : checked.costUsd + costUsd;
  } else if (answers === undefined) checked.unjudged.push(question);
  else {
    const failure = checkAnswers(judge, answers);
    if (failure !== undefined) checked.failures.push(failure);
  }
}
