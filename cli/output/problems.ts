// What is wrong with agents and config.yaml, in short, on standard error: with their files, and with their triggers.
import { toLabelWords } from "../../base/text/label_words.ts";
import { errorsFirst, formatDiagnostic } from "../../base/diagnostics.ts";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import type { DiagnosticBody } from "../../api/schemas/diagnostic_schemas.ts";
import type { InfoBody } from "../../api/schemas/info_schemas.ts";
import type { Output } from "./output.ts";
import { toOneLine } from "./sanitise.ts";
import { describeHeld, describeSetBack, isAutomatic } from "./trigger_text.ts";

const SHOWN_WARNINGS = 3;

/** One line for the problems of one file: the worst of them, and how many more there are. */
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

/** The errors among them. A file that broke has some while its last good definition stays in use. */
export function errorsOf(diagnostics: readonly DiagnosticBody[]): DiagnosticBody[] {
  return diagnostics.filter(({ severity }) => severity === "error");
}

/**
 * A line for each warning about config.yaml, and one for those beyond the first few. A service that was started before an
 * update may send none at all.
 */
export function showConfigWarnings(
  output: Output,
  warnings: readonly DiagnosticBody[] | undefined = [],
): void {
  for (const { hint, ...warning } of warnings.slice(0, SHOWN_WARNINGS)) {
    const diagnostic = { ...warning, ...(hint !== null && { hint }) };
    output.warning(toOneLine(formatDiagnostic(diagnostic)));
  }
  const more = warnings.length - SHOWN_WARNINGS;
  if (more > 0) output.warning(`and ${more} more in config.yaml: inkling validate`);
}

/** Why agents that would run by themselves do not. */
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
  for (const why of held) output.warning(describeHeld(agents, why));
  for (const agent of agents) {
    if (agent.ran_until !== undefined) output.warning(describeSetBack(agent));
  }
  if (schedulerStatus === "paused" && agents.some(isAutomatic)) {
    output.warning(
      "The scheduler is paused: nothing fires by itself until it is resumed " +
        '(Schedule in "inkling ui")',
    );
  }
}

/** Which agents' newest executions no living node may run. */
export function showNodeWaits(output: Output, agents: readonly AgentSummary[]): void {
  for (const { id, last_execution_id: execution, waits_for_labels: labels } of agents) {
    if (labels === undefined) continue;
    output.warning(
      `Execution ${execution} of ${toOneLine(id)} waits for a node with ${toLabelWords(labels)}`,
    );
  }
}

/** What gives a service a port. */
export const PORT_REMEDY =
  "set service.port in config.yaml and INKLING_API_KEY in the .env beside it, then restart the service";

/** The agents whose webhooks no delivery reaches, because the service listens on its socket alone. */
export function deafWebhooks(
  agents: readonly AgentSummary[],
  transports: readonly string[],
): string[] {
  if (transports.some((one) => one.startsWith("tcp:"))) return [];
  return agents.filter(({ enabled, trigger_type }) => enabled && trigger_type === "webhook")
    .map(({ id }) => id);
}

/** Warns of webhooks that no delivery reaches. */
export function showDeafWebhooks(
  output: Output,
  agents: readonly AgentSummary[],
  transports: readonly string[],
): void {
  const ids = deafWebhooks(agents, transports).map(toOneLine).join(", ");
  if (ids === "") return;
  output.warning(
    `No delivery reaches ${ids}: the service has no port. To give it one, ${PORT_REMEDY}`,
  );
}
