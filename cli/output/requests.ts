// A question to a person as text: what is about to happen, whole, and with nothing in it that could deceive.
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import { formatWholeArgument } from "./arguments.ts";
import type { Style } from "./style.ts";
import { describeChange, formatDiff } from "./diff.ts";
import { toVisible, toVisibleLine } from "../../present/visible_text.ts";
import { widthOf } from "./width.ts";

/** A question of more than this is shown above its prompt, not in it. */
const PROMPT_CHARACTERS = 160;

/** The question where it fits into a prompt; undefined for one that must be shown above it. */
export function promptMessage({ message }: PendingBody): string | undefined {
  const text = toVisible(message).trim();
  return text === "" || text.includes("\n") || text.length > PROMPT_CHARACTERS ? undefined : text;
}

/** What is shown above the prompt: the call that a person allows or denies, a long question. Empty: nothing. */
export function formatRequest(
  pending: PendingBody,
  style: Style,
  { mostLines = Infinity }: { mostLines?: number } = {},
): string {
  const lines: string[] = [];
  if (promptMessage(pending) === undefined) lines.push(toVisible(pending.message).trim());
  // The arguments of a tool that asks are the question itself.
  if (pending.kind === "confirm" && pending.tool_name !== "ask_user") {
    lines.push(...formatCall(pending, style, mostLines));
  }
  return lines.join("\n");
}

/** Whether `formatRequest` leaves lines out where it may show so many of a diff. */
export function isFolded({ preview }: PendingBody, mostLines: number): boolean {
  return preview !== null && preview.problem === null && countDiffLines(preview.diff) > mostLines;
}

/** How many lines a diff has. */
export function countDiffLines(diff: string): number {
  return diff === "" ? 0 : diff.replace(/\n$/, "").split("\n").length;
}

/** What the call would do to a file; of any other, and where that cannot be told, its arguments. */
function formatCall(
  { tool_name: tool, tool_args: args, preview }: PendingBody,
  style: Style,
  mostLines: number,
): string[] {
  const title = `${style.yellow("?")} ${style.bold(toVisibleLine(tool))}`;
  if (preview === null) return [title, ...formatTable(args, style)];
  if (preview.problem !== null) {
    const problem = `    ${style.yellow("!")} ${
      toVisible(preview.problem).replaceAll("\n", "\n      ")
    }`;
    return [title, problem, ...formatTable(args, style)];
  }
  const diff = formatDiff(preview.diff, style);
  const left = diff.length - mostLines;
  return [
    `${title} ${describeChange(preview)}`,
    ...(diff.length === 0 ? [style.dim("    nothing would change")] : diff.slice(0, mostLines)),
    ...(left > 0 ? [style.dim(`    … ${left} more ${left === 1 ? "line" : "lines"}`)] : []),
  ];
}

/** Names wider than this are not lined up with. */
const NAME_WIDTH = 20;

/** Each argument whole; what has one line beside its name, in a column. */
function formatTable(args: PendingBody["tool_args"], style: Style): string[] {
  const names = Object.entries(args).filter(([, value]) =>
    typeof value !== "object" && !`${value}`.includes("\n")
  )
    .map(([name]) => widthOf(toVisibleLine(name)));
  const width = Math.max(0, ...names.filter((one) => one <= NAME_WIDTH));
  return Object.entries(args).map(([name, value]) =>
    formatWholeArgument(name, value, style, width)
  );
}
