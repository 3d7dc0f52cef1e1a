// Prints short warnings and errors about agent files, triggers and config.yaml on standard error.
import { toLabelWords } from "../../base/text/label_words.ts";
import { errorsFirst, formatDiagnostic } from "../../base/diagnostics.ts";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import type { DiagnosticBody } from "../../api/schemas/diagnostic_schemas.ts";
import type { InfoBody } from "../../api/schemas/info_schemas.ts";
import { isAutomatic } from "../../present/triggers.ts";
import type { Output } from "./output.ts";
import { toOneLine } from "./sanitize.ts";
import { describeHeld, describeSetBack } from "../../present/trigger_notes.ts";

const SHOWN_WARNINGS = 3;

/** Prints the most severe problem of a file, and the number of further problems. */
export function showProblems(output: Output, diagnostics: readonly DiagnosticBody[]): void {
  const [first] = errorsFirst(diagnostics);
  if (first === undefined) return;
  const { path, line, column, message, severity } = first;
  const more = diagnostics.length - 1;
  const rest = more === 0 ? "" : ` (and ${more} more: inkling validate)`;
  const text = toOneLine(`${path}:${line}:${column}: ${message}`) + rest;
  if (severity === "error") output.error(text);
  else output.warning(text);
}

/** The note about triggers while no service runs, and the warning about triggers while the scheduler is paused. */
export const NOT_RUNNING =
  'The service is not running, so no trigger fires. "inkling start -d" starts it';
export const SCHEDULER_PAUSED =
  'The scheduler is paused, so no trigger fires. Resume it on the Schedule page of "inkling ui"';

/** Returns a problem as `path:line:column: message (hint)` on one line. */
export function toProblemLine({ hint, ...problem }: DiagnosticBody): string {
  return toOneLine(formatDiagnostic({ ...problem, ...(hint !== null && { hint }) }));
}

/**
 * Prints the first warnings about config.yaml, and the number of further warnings. `warnings` is undefined for a service of
 * an older version.
 */
export function showConfigWarnings(
  output: Output,
  warnings: readonly DiagnosticBody[] | undefined = [],
): void {
  for (const warning of warnings.slice(0, SHOWN_WARNINGS)) output.warning(toProblemLine(warning));
  const more = warnings.length - SHOWN_WARNINGS;
  if (more > 0) output.warning(`and ${more} more in config.yaml: inkling validate`);
}

/** Prints why triggers do not fire: pauses, other services, or a clock that was set back. */
export function showPauses(
  output: Output,
  agents: readonly AgentSummary[],
  schedulerStatus: InfoBody["scheduler_status"],
): void {
  for (const { id, trigger_paused: reason } of agents) {
    if (reason === null) continue;
    const remedy = `resume it: inkling resume ${toOneLine(id)}`;
    output.warning(`The trigger of ${toOneLine(id)} is paused: ${toOneLine(reason)}; ${remedy}`);
  }
  const held = new Set(agents.filter(isAutomatic).flatMap(({ trigger_held: why }) => why ?? []));
  for (const why of held) output.warning(toOneLine(describeHeld(agents, why)));
  for (const agent of agents) {
    if (agent.ran_until !== undefined) output.warning(toOneLine(describeSetBack(agent)));
  }
  if (schedulerStatus === "paused" && agents.some(isAutomatic)) {
    output.warning(SCHEDULER_PAUSED);
  }
}

/** Prints a warning for each agent whose newest execution waits for a suitable node. */
export function showNodeWaits(output: Output, agents: readonly AgentSummary[]): void {
  for (const { id, last_execution_id: execution, waits_for_labels: labels } of agents) {
    if (labels === undefined) continue;
    output.warning(
      `Execution ${execution} of ${toOneLine(id)} waits for a node with ${toLabelWords(labels)}`,
    );
  }
}

/** A text for messages: the steps that give the service a TCP port. */
export const PORT_REMEDY =
  "set service.port in config.yaml and INKLING_API_KEY in the .env beside it, then restart the service";

/** Returns the ids of agents whose webhooks cannot be reached, because the service listens only on its Unix socket. */
export function unreachableWebhooks(
  agents: readonly AgentSummary[],
  transports: readonly string[],
): string[] {
  if (transports.some((one) => one.startsWith("tcp:"))) return [];
  return agents.filter(({ enabled, trigger_type }) => enabled && trigger_type === "webhook")
    .map(({ id }) => id);
}

/** Prints a warning about agents whose webhooks cannot be reached, if there are any. */
export function showUnreachableWebhooks(
  output: Output,
  agents: readonly AgentSummary[],
  transports: readonly string[],
): void {
  const ids = unreachableWebhooks(agents, transports).map(toOneLine).join(", ");
  if (ids === "") return;
  output.warning(
    `Webhooks cannot reach ${ids}: the service has no port. To add one, ${PORT_REMEDY}`,
  );
}
