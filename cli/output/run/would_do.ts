// Formats the calls that a dry run did not make, each with the file change that it would have made.
import { formatDiff } from "../diff.ts";
import { formatPlural } from "../figures.ts";
import type { DescribedCall } from "../../../present/payload.ts";
import { toVisibleLine } from "../../../present/visible_text.ts";
import { wrapText } from "../wrap.ts";
import type { ToolLineOptions } from "./tool_lines.ts";

/** Returns the lines about the described calls. The agent is named at calls of executions other than `executionId`. */
export function formatWouldDo(
  calls: readonly DescribedCall[],
  executionId: number | undefined,
  options: ToolLineOptions,
): string[] {
  const { style, columns, lead } = options;
  const title = (text: string) => wrapText(style.bold(text), columns - lead);
  if (calls.length === 0) return [title("Dry run: the agent would have changed nothing")];
  return [
    title(`Dry run: the agent would have made ${formatPlural(calls.length, "call")}:`),
    ...calls.flatMap((call) => formatBlock(call, executionId, options)),
  ];
}

function formatBlock(
  { executionId: id, agentId, toolName, summary, diff, problem, hasPreview }: DescribedCall,
  executionId: number | undefined,
  { style, columns }: ToolLineOptions,
): string[] {
  const of = id === undefined || id === executionId
    ? ""
    : ` · ${toVisibleLine(agentId)}, execution ${id}`;
  // The summary of a file change does not name the tool, so the tool is added.
  const tool = hasPreview && problem === "" ? ` · ${toVisibleLine(toolName)}` : "";
  const head = `${style.yellow("•")} ${toVisibleLine(summary)}${style.dim(tool + of)}`;
  return [
    wrapText(head, columns, { hanging: 2 }),
    ...formatDiff(diff, style),
    ...(problem === "" ? [] : [wrapText(`    ${style.dim(toVisibleLine(problem))}`, columns)]),
  ];
}
