// Prints the history of agents as a table of executions, and of due times at which no run started.
import { toPauseSentence } from "../../../base/text/rest_words.ts";
import { toLabelWords } from "../../../base/text/label_words.ts";
import { formatDuration } from "../../../base/durations.ts";
import type { ListedExecution } from "../../../api/schemas/execution_schemas.ts";
import type { SlotBody } from "../../../api/schemas/scheduler_schemas.ts";
import { formatCost, formatCount } from "../figures.ts";
import type { Output } from "../output.ts";
import { NOTHING, orNothing } from "../table.ts";
import { formatMinute } from "../../../present/local_time.ts";
import { isCheck } from "../../../present/why/reasons.ts";

/** A row of the history: an execution, or a due time without a run. */
type Entry = { execution: ListedExecution } | { slot: SlotBody };

/** Prints executions and due times without a run, newest first. `isOfAll` adds a column with the agent. */
export function showHistory(
  output: Output,
  executions: readonly ListedExecution[],
  slots: readonly SlotBody[],
  { isOfAll, now }: { isOfAll: boolean; now: number },
): void {
  const entries: Entry[] = [
    ...executions.map((execution) => ({ execution })),
    ...slots.map((slot) => ({ slot })),
  ].sort((a, b) => Date.parse(startOf(b)) - Date.parse(startOf(a)));
  const ofRun = (show: (execution: ListedExecution) => string) => (entry: Entry) =>
    "execution" in entry ? show(entry.execution) : NOTHING;
  output.table(entries, [
    {
      header: "Id",
      cell: ofRun(({ id }) => String(id)),
      align: "right",
      paint: output.style.bold,
    },
    isOfAll && { header: "Agent", cell: ofRun((one) => one.agent_id) },
    { header: "Started", cell: (entry) => formatMinute(startOf(entry)) },
    {
      header: "Status",
      cell: describeStatus,
      paint: (cell, value) => paintStatus(output, cell, value),
    },
    { header: "Trigger", cell: describeTrigger },
    {
      header: "Duration",
      cell: ofRun((one) => orNothing(one.duration_ms, formatDuration)),
      align: "right",
    },
    {
      header: "Tokens",
      cell: ofRun((one) => orNothing(one.total_tokens, formatCount)),
      align: "right",
    },
    { header: "Cost", cell: ofRun((one) => orNothing(one.cost_usd, formatCost)), align: "right" },
  ], {
    note: (entry) =>
      "execution" in entry ? describeOutcome(entry.execution, now) : entry.slot.reason ?? undefined,
  });
}

const startOf = (entry: Entry) =>
  "execution" in entry ? entry.execution.started_at : entry.slot.scheduled_for;

function describeStatus(entry: Entry): string {
  if ("execution" in entry) return entry.execution.status;
  const { outcome, count } = entry.slot;
  return count > 1 ? `${outcome} (${formatCount(count)} times)` : outcome;
}

function describeTrigger(entry: Entry): string {
  if ("slot" in entry) return isCheck(entry.slot.reason) ? "change" : "schedule";
  const { trigger, parent_execution_id: parent, after_execution_id: before } = entry.execution;
  const by = parent ?? before ?? null;
  return by === null ? trigger : `${trigger} (${by})`;
}

/**
 * Returns the note below an execution's row: its state, its message, and its answer or error. Returns undefined if the note
 * would be empty.
 */
function describeOutcome(execution: ListedExecution, now: number): string | undefined {
  const { preview, error, dry_run, waits_for_labels: labels } = execution;
  const pause = toPauseSentence(execution, now);
  const exchange = [preview?.asked, error ?? preview?.answered].filter((one) => one).join(" → ");
  const parts = [
    ...(dry_run ? ["Dry run"] : []),
    ...(labels ? [`Waits for a node with ${toLabelWords(labels)}`] : []),
    ...(pause === undefined ? [] : [pause]),
    ...(exchange === "" ? [] : [exchange]),
  ];
  return parts.length === 0 ? undefined : parts.join(": ");
}

/** Returns a cell in the color of an execution's status or a due time's outcome. */
export function paintStatus({ style }: Output, cell: string, status: string): string {
  if (status === "success") return style.green(cell);
  const isOpen = ["running", "waiting"].includes(status) || /^(skipped|missed)/.test(status);
  return isOpen ? style.yellow(cell) : style.red(cell);
}
