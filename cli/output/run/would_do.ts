// What a dry run would have done: a block for each call that it described, with the change of a file.
import { isJsonObject } from "../../../base/json.ts";
import { formatDiff } from "../diff.ts";
import { formatPlural } from "../figures.ts";
import { type FramePayload, numberOf, textOf } from "../payload.ts";
import { toVisibleLine } from "../visible_text.ts";
import { wrapText } from "../wrap.ts";
import type { ToolLineOptions } from "./tool_lines.ts";

/** The lines of the list. `executionId`: whose it is; of the others it is said which agent's they are. */
export function formatWouldDo(
  calls: readonly FramePayload[],
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
  call: FramePayload,
  executionId: number | undefined,
  { style, columns }: ToolLineOptions,
): string[] {
  const id = numberOf(call, "execution_id");
  const of = id === undefined || id === executionId
    ? ""
    : ` · ${toVisibleLine(textOf(call, "agent_id"))}, execution ${id}`;
  const preview = isJsonObject(call["preview"]) ? call["preview"] : undefined;
  // What is about a file says itself what it does, but not by which tool.
  const tool = preview === undefined || textOf(preview, "problem") !== ""
    ? ""
    : ` · ${toVisibleLine(textOf(call, "tool_name"))}`;
  const head = `${style.yellow("•")} ${toVisibleLine(textOf(call, "summary"))}${
    style.dim(tool + of)
  }`;
  const problem = preview === undefined ? "" : textOf(preview, "problem");
  return [
    wrapText(head, columns, { hanging: 2 }),
    ...(preview === undefined ? [] : formatDiff(textOf(preview, "diff"), style)),
    ...(problem === "" ? [] : [wrapText(`    ${style.dim(toVisibleLine(problem))}`, columns)]),
  ];
}
