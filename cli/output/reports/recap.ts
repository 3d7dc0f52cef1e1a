// Prints a recap of a time span: its figures, and its failed, waiting and missed runs, each with a command for the user.
import type { RecapBody } from "../../../api/schemas/report_schemas.ts";
import { countRuns } from "../../../present/recap.ts";
import { firstLine } from "../../../present/visible_text.ts";
import { formatCost, formatPlural } from "../figures.ts";
import type { Output } from "../output.ts";
import { toOneLine } from "../sanitize.ts";
import { formatMinute } from "../../../present/local_time.ts";
import { formatRelative } from "../time.ts";
import { shorten } from "../width.ts";

/** The maximum number of next runs that are shown. */
const SHOWN_NEXT = 5;
/** The maximum width of an error or a question. */
const TEXT_WIDTH = 100;

/** Prints a recap. `span` is the text for its time span. */
export function showRecap(
  output: Output,
  recap: RecapBody,
  { span, now }: { span: string; now: number },
): void {
  const { style } = output;
  const heading = (text: string) => output.line(`\n${style.bold(text)}`);
  const item = (agent: string, text: string) =>
    output.sentence(`  ${toOneLine(agent)}: ${shorten(toOneLine(text), TEXT_WIDTH)}`);
  output.sentence(`${style.bold(`Since ${formatMinute(recap.since)}`)} (${span})`);
  output.sentence(describeRuns(recap));
  if (recap.executions.total > 0) output.sentence(describeCost(recap));
  if (recap.failures.length > 0) heading("Failed");
  for (
    const { agent_id: agent, count, last_error: error, last_execution_id: id } of recap.failures
  ) {
    item(
      agent,
      `${count > 1 ? `${count} times, last: ` : ""}${firstLine(error)} (inkling logs -e ${id})`,
    );
  }
  if (recap.waiting.length > 0) heading("Waiting for you");
  for (const { agent_id: agent, execution_id: id, since, message } of recap.waiting) {
    item(agent, `${firstLine(message)}, ${formatRelative(since, now)} (inkling respond ${id})`);
  }
  if (recap.not_run.length > 0) heading("Did not run");
  for (const one of recap.not_run) {
    item(one.agent_id, `${one.outcome} ${describeTimes(one)}: ${one.reason}`);
  }
  if (recap.downtimes.length > 0) heading("The service was not running");
  for (const { from, to } of recap.downtimes) {
    output.sentence(
      from === null
        ? `  until ${toMinute(to)} (it had been killed)`
        : `  ${toMinute(from)} to ${toMinute(to)}`,
    );
  }
  if (recap.stopped.length > 0) heading("Disabled, paused or invalid");
  for (const { agent_id: agent, reason } of recap.stopped) item(agent, reason);
  if (recap.next.length > 0) heading("Next runs");
  for (const { agent_id: agent, at } of recap.next.slice(0, SHOWN_NEXT)) item(agent, toMinute(at));
}

function describeRuns(recap: RecapBody): string {
  const { total } = recap.executions;
  if (total === 0) return "Nothing ran";
  const counts = countRuns(recap).map(({ count, word }) => `${count} ${word}`).join(", ");
  return `${formatPlural(total, "run")}: ${counts}`;
}

function describeCost(recap: RecapBody): string {
  const { cost_usd: cost, cost_before_usd: before, mean_cost_usd: mean } = recap;
  const compared = [
    ...(before === null ? [] : [`previous day ${formatCost(before)}`]),
    ...(mean === null ? [] : [`7-day average ${formatCost(mean)}`]),
  ];
  const total = cost === null ? "Cost: unknown (no price)" : `Cost: ${formatCost(cost)}`;
  return compared.length === 0 ? total : `${total} (${compared.join(", ")})`;
}

function describeTimes({ count, first, last }: RecapBody["not_run"][number]): string {
  if (count === 1) return toMinute(first);
  return `${count} times from ${toMinute(first)}${first === last ? "" : ` to ${toMinute(last)}`}`;
}

function toMinute(timestamp: string): string {
  return formatMinute(timestamp).slice(5);
}
