// Compares a run with the expectations of its case. Each difference is reported with the expected and the actual value.
import { isWholeJson, type JsonValue, sortedJson } from "../../base/json.ts";
import { valueAt } from "../../base/text/json_pointer.ts";
import { containsValue, isSameValue } from "./compare_values.ts";
import type { CalledTool, PlayedRun } from "./played_run.ts";
import type { Expectations, TestCase } from "./test_case.ts";

/** An expectation that failed. */
export interface TestFailure {
  /** The expectation's name, such as `output.equals` or `files "out.md"`. */
  what: string;
  expected: string;
  got: string;
  /** True if both values are whole texts, which are shown as a comparison of lines. */
  isText?: true;
}

type TextCheck = Pick<Expectations["files"][string], "equals" | "contains" | "matches">;
type ToolExpectation = Expectations["tools_called"][number];

/** Returns every difference between a run and its case's expectations. */
export function checkRun({ expect }: TestCase, run: PlayedRun): TestFailure[] {
  if (run.gap !== undefined) {
    return [{ what: "the script", expected: "all that the run needs", got: run.gap }];
  }
  return [
    ...checkEnd(expect, run),
    ...run.refused.map(({ tool, wanted, got }) => ({
      what: `the call of ${tool}`,
      expected: wanted,
      got,
    })),
    ...checkOutput(expect.output, run.output),
    ...Object.entries(expect.files).flatMap(([path, check]) =>
      checkFile(path, check, run.expectedFiles.get(path) ?? null)
    ),
    ...checkTools(expect, run.calls),
    ...checkFigures(expect, run),
  ];
}

function checkEnd({ status, error }: Expectations, run: PlayedRun): TestFailure[] {
  const why = run.waitsFor === undefined
    ? run.error
    : `${run.waitsFor}, and its call in the case has no answers left`;
  const got = why === null ? run.status : `${run.status}: ${why}`;
  const failures: TestFailure[] = [];
  if (run.status !== status) failures.push({ what: "status", expected: status, got });
  if (error !== undefined && !(run.error ?? "").includes(error)) {
    failures.push({
      what: "error",
      expected: `contains ${quote(error)}`,
      got: run.error ?? "none",
    });
  }
  if (failures.length === 0 && run.repliesLeft > 0 && run.status !== "waiting") {
    const all = run.steps + run.repliesLeft;
    failures.push({ what: "replies", expected: `${all} are asked for`, got: `${run.steps} were` });
  }
  return failures;
}

function checkOutput(check: Expectations["output"], output: string | null): TestFailure[] {
  if (check === undefined) return [];
  if (output === null) return [{ what: "output", expected: "an answer", got: "none" }];
  return [
    ...checkText("output", check, output),
    ...check.json === undefined ? [] : checkJson(check.json, output),
  ];
}

function checkText(what: string, check: TextCheck, text: string): TestFailure[] {
  const { equals, contains = [], matches } = check;
  const failures: TestFailure[] = [];
  if (equals !== undefined && text !== equals) {
    failures.push({ what: `${what}.equals`, expected: equals, got: text, isText: true });
  }
  for (const part of contains) {
    if (text.includes(part)) continue;
    failures.push({ what: `${what}.contains`, expected: quote(part), got: text });
  }
  if (matches !== undefined && !new RegExp(matches, "u").test(text)) {
    failures.push({ what: `${what}.matches`, expected: `/${matches}/`, got: text });
  }
  return failures;
}

function checkJson(wanted: Readonly<Record<string, unknown>>, output: string): TestFailure[] {
  if (!isWholeJson(output)) return [{ what: "output.json", expected: "JSON", got: output }];
  const value: JsonValue = JSON.parse(output);
  return Object.entries(wanted).flatMap(([pointer, expected]): TestFailure[] => {
    const got = valueAt(value, pointer);
    if (got !== undefined && isSameValue(got, expected)) return [];
    return [{
      what: `output.json ${quote(pointer)}`,
      expected: sortedJson(expected, 2),
      got: got === undefined ? "no value" : sortedJson(got, 2),
      ...(got !== undefined && { isText: true as const }),
    }];
  });
}

function checkFile(
  path: string,
  check: Expectations["files"][string],
  content: string | null,
): TestFailure[] {
  const what = `files ${quote(path)}`;
  if (content === null) {
    return check.exists ? [{ what, expected: "the file is there", got: "there is none" }] : [];
  }
  if (!check.exists) return [{ what, expected: "there is no such file", got: "it is there" }];
  return checkText(what, check, content);
}

function checkTools(expect: Expectations, calls: readonly CalledTool[]): TestFailure[] {
  const got = describeCalls(calls);
  return [
    ...expect.tools_called.filter((one) => !calls.some((call) => isMeant(one, call)))
      .map((one) => ({ what: "tools_called", expected: describeTool(one), got })),
    ...expect.tools_not_called.filter((one) => calls.some((call) => isMeant(one, call)))
      .map((one) => ({ what: "tools_not_called", expected: `not ${describeTool(one)}`, got })),
  ];
}

function isMeant(expected: ToolExpectation, { tool, args }: CalledTool): boolean {
  return expected.tool === tool &&
    (expected.args === undefined || containsValue(args, expected.args));
}

function describeTool({ tool, args }: ToolExpectation): string {
  return args === undefined ? tool : `${tool} ${sortedJson(args)}`;
}

function describeCalls(calls: readonly CalledTool[]): string {
  if (calls.length === 0) return "no calls";
  return calls.map(({ tool, args }) => `${tool} ${args === undefined ? "?" : sortedJson(args)}`)
    .join("\n");
}

function checkFigures(
  { max_cost_usd: maxCost, max_steps: maxSteps }: Expectations,
  { costUsd, steps }: PlayedRun,
): TestFailure[] {
  const failures: TestFailure[] = [];
  if (maxCost !== undefined && (costUsd === null || costUsd > maxCost)) {
    failures.push({
      what: "max_cost_usd",
      expected: `at most ${maxCost}`,
      got: costUsd === null ? "no cost is known: replies say it with cost_usd" : String(costUsd),
    });
  }
  if (maxSteps !== undefined && steps > maxSteps) {
    failures.push({ what: "max_steps", expected: `at most ${maxSteps}`, got: String(steps) });
  }
  return failures;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
