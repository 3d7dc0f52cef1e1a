// Prints the results of tests and of live tests as text, or converts them to JSON.
import { type Diagnostic, formatDiagnostic } from "../../../base/diagnostics.ts";
import type { TestResult } from "../../../ops/testing/test_result.ts";
import type { TestFailure } from "../../../ops/testing/check_run.ts";
import type { LiveTrial, TrialRow } from "../../../ops/testing/live_trial.ts";
import { formatCost } from "../figures.ts";
import type { Output } from "../output.ts";
import { diffLines } from "../replay/line_diff.ts";
import { showDiffLines } from "../replay/text_change.ts";
import { sanitize, toOneLine } from "../sanitize.ts";
import { orNothing } from "../table.ts";
import { pad } from "../width.ts";
import { wrapText } from "../wrap.ts";

/** Returns the verdict on a test case. `unjudged` means that no check failed, but the judge questions were not asked. */
export function endOf(
  { problems, failures, unjudged }: TestResult,
): "passed" | "failed" | "unjudged" {
  if (problems.length > 0 || failures.length > 0) return "failed";
  return unjudged.length > 0 ? "unjudged" : "passed";
}

/** Returns the number of test cases for each verdict. */
export function countEnds(
  results: readonly TestResult[],
): { passed: number; failed: number; unjudged: number } {
  const counts = { passed: 0, failed: 0, unjudged: 0 };
  for (const result of results) counts[endOf(result)]++;
  return counts;
}

/** Prints a line for each test case with its failures, followed by the totals. */
export function showResults(output: Output, results: readonly TestResult[]): void {
  const { style } = output;
  for (const result of results) {
    const { name, problems, failures, unjudged } = result;
    const end = endOf(result);
    if (output.quiet && end === "passed") continue;
    const marks = { passed: style.green("✔"), failed: style.red("✖"), unjudged: style.yellow("?") };
    output.line(`${marks[end]} ${style.bold(toOneLine(name))}`);
    showDiagnostics(output, problems);
    for (const failure of failures) showFailure(output, failure);
    for (const question of unjudged) {
      showIndented(output, `Not judged (needs --live): ${toOneLine(question)}`);
    }
  }
  const { passed, failed, unjudged } = countEnds(results);
  const open = unjudged === 0 ? "" : `, ${unjudged} not judged`;
  const sum = `${passed} passed, ${failed} failed${open}`;
  if (failed > 0) output.sentence(style.red(sum));
  else if (unjudged > 0) output.sentence(style.yellow(sum));
  else output.detail(style.green(sum));
}

/** Prints the problems of case files, each as an indented line. */
function showDiagnostics(output: Output, problems: readonly Diagnostic[]): void {
  for (const problem of problems) showIndented(output, toOneLine(formatDiagnostic(problem)));
}

/** Prints a failed expectation with its expected and its actual value. */
function showFailure(output: Output, { what, expected, got, isText }: TestFailure): void {
  const { style } = output;
  const title = style.bold(toOneLine(what));
  if (isText) {
    showIndented(output, `${title} (${style.red("- expected")}, ${style.green("+ got")})`);
    return showDiffLines(output, diffLines(expected, got), "    ");
  }
  showIndented(output, title);
  showSide(output, "expected", expected);
  showSide(output, "got", got);
}

/** The column at which expected and actual values begin. */
const VALUES_AT = 14;

function showSide(output: Output, name: "expected" | "got", value: string): void {
  const width = output.stdout.columns - VALUES_AT;
  const lines = sanitize(value).split("\n")
    .flatMap((line) => wrapText(line, width, { hanging: 2 }).split("\n"));
  for (const [index, line] of lines.entries()) {
    const label = index === 0 ? `    ${name}` : "";
    output.line(`${output.style.dim(pad(label, VALUES_AT))}${line}`.trimEnd());
  }
}

function showIndented(output: Output, text: string): void {
  const lines = wrapText(text, output.stdout.columns - 2, { hanging: 2 }).split("\n");
  for (const line of lines) output.line(`  ${line}`.trimEnd());
}

/** Converts test results to the JSON value of `inkling test --json`. */
export function toJson(results: readonly TestResult[]): unknown {
  const { passed, failed, unjudged } = countEnds(results);
  return {
    passed,
    failed,
    not_judged: unjudged,
    results: results.map((one) => ({
      name: one.name,
      agent_id: one.agentId,
      path: one.path,
      passed: endOf(one) === "passed",
      steps: one.steps,
      cost_usd: one.costUsd,
      duration_ms: one.durationMs,
      problems: one.problems,
      failures: one.failures.map(({ what, expected, got }) => ({ what, expected, got })),
      not_judged: one.unjudged,
    })),
  };
}

type Unplayable = LiveTrial["unplayable"];

/** Prints the test cases that cannot run, with their problems. */
export function showProblemsOf(output: Output, unplayable: Unplayable): void {
  const { style } = output;
  for (const { name, problems } of unplayable) {
    output.line(`${style.red("✖")} ${style.bold(toOneLine(name))}`);
    showDiagnostics(output, problems);
  }
}

/** Prints the table, followed by the last failure of each row with a failure. */
export function showTrial(output: Output, rows: readonly TrialRow[]): void {
  const { style } = output;
  output.table(rows, [
    { header: "Case", cell: ({ name }) => name, shrinks: true },
    { header: "Model", cell: ({ model }) => model, shrinks: true },
    { header: "Passed", cell: ({ passed, runs }) => `${passed}/${runs}`, align: "right" },
    { header: "Cost", cell: ({ costUsd }) => orNothing(costUsd, formatCost), align: "right" },
    { header: "Seconds", cell: (row) => (row.durationMs / 1_000).toFixed(1), align: "right" },
  ]);
  for (const { name, model, failure } of rows) {
    if (failure === undefined) continue;
    output.line(`\n${style.red("✖")} ${style.bold(toOneLine(`${name} with ${model}`))}`);
    for (const one of failure.failures) showFailure(output, one);
  }
}

/** Converts the results of a live test to a JSON value. */
export function toTrialJson(rows: readonly TrialRow[], unplayable: Unplayable): unknown {
  return {
    rows: rows.map(({ name, model, passed, runs, costUsd, durationMs, failure }) => ({
      name,
      model,
      passed,
      runs,
      cost_usd: costUsd,
      duration_ms: durationMs,
      failures: failuresOf(failure),
    })),
    unplayable: unplayable.map(({ name, path, problems }) => ({ name, path, problems })),
  };
}

function failuresOf(result: TestResult | undefined): unknown[] {
  return (result?.failures ?? []).map(({ what, expected, got }) => ({ what, expected, got }));
}
