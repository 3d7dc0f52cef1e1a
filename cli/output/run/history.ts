// The history of agents as a table: what ran, and the times at which it was due and did not run.
import { toRetrySentence } from "../../../base/text/retry_words.ts";
import { toLabelWords } from "../../../base/text/label_words.ts";
import { formatDuration } from "../../../base/durations.ts";
import type { ListedExecution } from "../../../server/schemas/execution_schemas.ts";
import type { SlotBody } from "../../../server/schemas/scheduler_schemas.ts";
import { formatCost, formatCount } from "../figures.ts";
import type { Output } from "../output.ts";
import { type Column, NOTHING, orNothing } from "../table.ts";
import { formatMinute } from "../time.ts";

/** An entry of the history, and when it belongs there. */
interface Entry {
  at: number;
  cells: string[];
  /** What it was asked and what came of it, or why it did not run. */
  note: string | undefined;
}

/** Shows executions, and slots that did not run, newest first. */
export function showHistory(
  output: Output,
  executions: readonly ListedExecution[],
  slots: readonly SlotBody[],
  { isOfAll }: { isOfAll: boolean },
): void {
  const entries = [
    ...executions.map((one) => toEntry(one, isOfAll)),
    ...slots.map(toSlotEntry),
  ].sort((a, b) => b.at - a.at);
  output.table(columnsOf(output, isOfAll), entries.map(({ cells }) => cells), {
    notes: entries.map(({ note }) => note),
  });
}

function columnsOf(output: Output, isOfAll: boolean): Column[] {
  return [
    { header: "Id", align: "right", paint: output.style.bold },
    ...(isOfAll ? [{ header: "Agent" }] : []),
    { header: "Started" },
    { header: "Status", paint: (cell, value) => paintStatus(output, cell, value) },
    { header: "Trigger" },
    { header: "Duration", align: "right" },
    { header: "Tokens", align: "right" },
    { header: "Cost", align: "right" },
  ];
}

function toEntry(execution: ListedExecution, isOfAll: boolean): Entry {
  const { duration_ms: duration, total_tokens: tokens, cost_usd: cost } = execution;
  const parent = execution.parent_execution_id ?? execution.after_execution_id ?? null;
  return {
    at: Date.parse(execution.started_at),
    cells: [
      String(execution.id),
      ...(isOfAll ? [execution.agent_id] : []),
      formatMinute(execution.started_at),
      execution.status,
      parent === null ? execution.trigger : `${execution.trigger} (${parent})`,
      orNothing(duration, formatDuration),
      orNothing(tokens, formatCount),
      orNothing(cost, formatCost),
    ],
    note: describeOutcome(execution),
  };
}

/** What it was asked, and what came of it. */
function describeOutcome(execution: ListedExecution): string | undefined {
  const { preview, error, dry_run, waits_for_labels: labels, retry } = execution;
  const told = [preview?.asked, error ?? preview?.answered].filter((one) => one).join(" → ");
  const parts = [
    ...(dry_run ? ["Dry run"] : []),
    ...(labels ? [`Waits for a node with ${toLabelWords(labels)}`] : []),
    ...(retry ? [toRetrySentence(retry)] : []),
    ...(told === "" ? [] : [told]),
  ];
  return parts.length === 0 ? undefined : parts.join(": ");
}

function toSlotEntry({ scheduled_for: at, outcome, count, reason }: SlotBody): Entry {
  return {
    at: Date.parse(at),
    cells: [
      NOTHING,
      formatMinute(at),
      count > 1 ? `${outcome} (${formatCount(count)} times)` : outcome,
      "schedule",
      NOTHING,
      NOTHING,
      NOTHING,
    ],
    note: reason ?? undefined,
  };
}

/** Colours a cell by the status of an execution that it tells, or by the outcome of a due time. */
export function paintStatus({ style }: Output, cell: string, status: string): string {
  if (status === "success") return style.green(cell);
  const isOpen = ["running", "waiting"].includes(status) || /^(skipped|missed)/.test(status);
  return isOpen ? style.yellow(cell) : style.red(cell);
}
