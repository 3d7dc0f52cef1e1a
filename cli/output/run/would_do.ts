// What a dry run would have done: a block for each call that it described, with the change of a file.
import { formatDiff } from "../diff.ts";
import { formatPlural } from "../figures.ts";
import type { DescribedCall } from "../../../present/payload.ts";
import { toVisibleLine } from "../../../present/visible_text.ts";
import { wrapText } from "../wrap.ts";
import type { ToolLineOptions } from "./tool_lines.ts";

/** The lines of the list. `executionId`: whose it is; of the others it is said which agent's they are. */
export function formatWouldDo(
  calls: readonly DescribedCall[],
  executionId: number | undefined,
  options: ToolLineOptions,
): string[] {
  const { style, columns, lead } = options;
  const title = (text: string) => wrapText(style.bold(text), columns - lead);
  if (calls.length === 0) return [title("Would have done: nothing that changes anything")];
  return [
    title(`Would have done (${formatPlural(calls.length, "call")}, none of them made):`),
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
  // What is about a file says itself what it does, but not by which tool.
  const tool = hasPreview && problem === "" ? ` · ${toVisibleLine(toolName)}` : "";
  const head = `${style.yellow("•")} ${toVisibleLine(summary)}${style.dim(tool + of)}`;
  return [
    wrapText(head, columns, { hanging: 2 }),
    ...formatDiff(diff, style),
    ...(problem === "" ? [] : [wrapText(`    ${style.dim(toVisibleLine(problem))}`, columns)]),
  ];
}
