// What is wrong with agents, in short, on standard error: with their files, and with their firing.
import type { AgentSummary } from "../../server/agent_schemas.ts";
import type { DiagnosticBody } from "../../server/diagnostic_schemas.ts";
import type { InfoBody } from "../../server/info_schemas.ts";
import type { Output } from "./output.ts";
import { toOneLine } from "./sanitise.ts";
import { isAutomatic } from "./trigger_text.ts";

/** One line for the problems of one file: the worst of them, and how many there are more. */
export function showProblems(output: Output, diagnostics: readonly DiagnosticBody[]): void {
  const [first] = diagnostics.toSorted((a, b) => rank(a) - rank(b));
  if (first === undefined) return;
  const { path, line, column, message, severity } = first;
  const more = diagnostics.length - 1;
  const rest = more === 0 ? "" : ` (and ${more} more: inkling validate)`;
  const text = toOneLine(`${path}:${line}:${column}: ${message}`) + rest;
  if (severity === "error") output.error(text);
  else output.warning(text);
}

/** Those that are no mere warnings. A file that broke has some while its last good definition goes on. */
export function errorsOf(diagnostics: readonly DiagnosticBody[]): DiagnosticBody[] {
  return diagnostics.filter(({ severity }) => severity === "error");
}

/** Why agents that would run by themselves do not. */
export function showPauses(
  output: Output,
  agents: readonly AgentSummary[],
  schedulerStatus: InfoBody["scheduler_status"],
): void {
  for (const { id, trigger_paused: reason } of agents) {
    if (reason === null) continue;
    output.warning(`The trigger of ${toOneLine(id)} is paused: ${toOneLine(reason)}`);
  }
  if (schedulerStatus === "paused" && agents.some(isAutomatic)) {
    output.warning(
      "The scheduler is paused: no schedule and no watch fires before POST /scheduler/resume",
    );
  }
}

function rank({ severity }: DiagnosticBody): number {
  return severity === "error" ? 0 : 1;
}
