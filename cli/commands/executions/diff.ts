// `inkling diff`: compares the figures and the messages of two executions.
import { performs } from "../../command_line/command.ts";
import type { diff } from "../../declarations/execution_commands.ts";
import type { Client } from "../../../api/client/client.ts";
import { EXIT } from "../../context/context.ts";
import { formatCost, formatCount } from "../../output/figures.ts";
import { formatElapsed } from "../../output/time.ts";
import type { Output } from "../../output/output.ts";
import { compareParts, type PartDifference, toParts } from "../../output/replay/execution_parts.ts";
import { showChange } from "../../output/replay/text_change.ts";
import { type Column, NOTHING, orNothing } from "../../output/table.ts";
import { findExecution } from "../../runs/find_execution.ts";
import { openReader } from "../../service/connection.ts";

/** Prints the differences between two executions. The exit code is 1 if their messages differ. */
export const perform = performs<typeof diff>(async (context, { json }, { id, other: otherId }) => {
  const { app, output } = context;
  await using reader = await openReader(app, context.workspace);
  const one = await read(reader.client, id);
  const other = await read(reader.client, otherId);
  const differences = compareParts(one.parts, other.parts);
  if (json) {
    output.json({
      executions: [one.execution, other.execution],
      identical: differences.length === 0,
      differences,
    });
  } else {
    showFigures(output, [one, other]);
    showDifferences(output, differences);
  }
  return differences.length === 0 ? EXIT.ok : EXIT.failed;
});

type Compared = Awaited<ReturnType<typeof read>>;

async function read(client: Client, id: number) {
  const execution = await findExecution(client, id);
  return { execution, parts: toParts(await client.messages(id)) };
}

function showFigures(output: Output, compared: readonly Compared[]): void {
  const rows: [name: string, valueOf: (one: Compared) => string][] = [
    ["Agent", ({ execution }) => execution.agent_id],
    ["Model", ({ execution: { model } }) => model === "" ? NOTHING : model],
    ["Status", ({ execution }) => execution.status],
    ["Steps", ({ parts }) => formatCount(parts.at(-1)?.step ?? 0)],
    ["Tool calls", ({ execution }) => formatCount(execution.tool_calls)],
    ["Tokens", ({ execution }) => orNothing(execution.total_tokens, formatCount)],
    ["Cost", ({ execution }) => orNothing(execution.total_cost_usd, formatCost)],
    ["Time", ({ execution }) => orNothing(execution.duration_ms, formatElapsed)],
  ];
  output.table(rows, [
    { header: "", cell: ([name]) => name },
    ...compared.map((one): Column<typeof rows[number]> => ({
      header: `Execution ${one.execution.id}`,
      cell: ([, valueOf]) => valueOf(one),
      shrinks: true,
    })),
  ]);
}

function showDifferences(output: Output, differences: readonly PartDifference[]): void {
  const { style } = output;
  if (differences.length === 0) return output.sentence("\nNo differences in messages and calls");
  for (const { step, what, one, other } of differences) {
    const place = step === 0 ? "At the beginning" : `Step ${step}`;
    output.sentence(`\n${style.bold(`${place}: ${what}`)}`);
    showChange(output, one, other);
  }
}
