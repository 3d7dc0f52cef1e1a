// Formats test results as JUnit XML for CI systems.
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import type { TestResult } from "../../../ops/testing/test_result.ts";
import { endOf } from "./test_report.ts";

/** Returns the text of a JUnit file with a test case for each result. */
export function formatJUnit(results: readonly TestResult[]): string {
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const broken = results.filter(({ problems }) => problems.length > 0).length;
  const time = seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const skipped = results.filter((one) => endOf(one) === "unjudged").length;
  const counts =
    `tests="${results.length}" failures="${failed}" errors="${broken}" skipped="${skipped}" time="${time}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="inkling" ${counts}>`,
    ...results.map(formatCase),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function formatCase(result: TestResult): string {
  const { agentId, name, durationMs, problems, failures, unjudged } = result;
  const attributes = `classname="${escapeXml(agentId)}" name="${escapeXml(name)}" time="${
    seconds(durationMs)
  }"`;
  const children = [
    ...problems.map((one) => element("error", one.message, formatDiagnostic(one))),
    ...failures.map(({ what, expected, got }) =>
      element("failure", what, `expected:\n${expected}\n\ngot:\n${got}`)
    ),
    // JUnit allows at most one "skipped" element in a test case.
    ...endOf(result) === "unjudged" ? [element("skipped", SKIPPED, unjudged.join("\n"))] : [],
  ];
  if (children.length === 0) return `    <testcase ${attributes}/>`;
  return [`    <testcase ${attributes}>`, ...children, "    </testcase>"].join("\n");
}

const SKIPPED = "Not judged: needs --live";

function element(name: string, message: string, text: string): string {
  return `      <${name} message="${escapeXml(message)}">${escapeXml(text)}</${name}>`;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes a text for XML 1.0. Replaces characters that XML forbids even in escaped form with U+FFFD. */
function escapeXml(text: string): string {
  return text.toWellFormed()
    // deno-lint-ignore no-control-regex
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "\uFFFD")
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
    // XML readers convert unescaped carriage returns to line feeds.
    .replaceAll("\r", "&#13;");
}
