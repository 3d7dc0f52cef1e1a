// Prints the results of a live test: a table of cases and models, and the last failure of each row.
import type { TestResult } from "../../../ops/testing/test_result.ts";
import type { LiveTrial, TrialRow } from "../../../ops/testing/live_trial.ts";
import { formatCost } from "../figures.ts";
import type { Output } from "../output.ts";
import { toOneLine } from "../sanitize.ts";
import { orNothing } from "../table.ts";
import { showDiagnostics, showFailure } from "./test_report.ts";

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
