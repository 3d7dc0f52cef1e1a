// Formats a question to the user, with the complete tool call or file change. Escapes invisible characters.
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import { describeApprovals } from "../../present/asked_approvals.ts";
import { signInServerOf } from "../../present/asked_sign_in.ts";
import { formatWholeArgument } from "./arguments.ts";
import type { Style } from "./style.ts";
import { describeChange, formatDiff } from "./diff.ts";
import { toVisible, toVisibleLine } from "../../present/visible_text.ts";
import { widthOf } from "./width.ts";

/** The maximum length of a question in a prompt. A longer question is printed above the prompt. */
const PROMPT_CHARACTERS = 160;

/** Returns the question if it is short enough for the prompt, otherwise undefined. */
export function promptMessage({ message }: PendingBody): string | undefined {
  const text = toVisible(message).trim();
  return text === "" || text.includes("\n") || text.length > PROMPT_CHARACTERS ? undefined : text;
}

/** Formats the text above the prompt: a long question, and the tool call to approve. The text may be empty. */
export function formatRequest(
  pending: PendingBody,
  style: Style,
  { mostLines = Infinity }: { mostLines?: number } = {},
): string {
  const lines: string[] = [];
  if (promptMessage(pending) === undefined) lines.push(toVisible(pending.message).trim());
  // The arguments of ask_user and of a sign-in only repeat the question.
  const isRepeated = pending.tool_name === "ask_user" || signInServerOf(pending) !== undefined;
  if (pending.kind === "confirm" && !isRepeated) {
    lines.push(...formatCall(pending, style, mostLines));
  }
  const approvals = describeApprovals(pending);
  if (approvals !== undefined) lines.push(approvals);
  return lines.join("\n");
}

/** Returns whether formatRequest() omits lines of the diff, because the diff has more than `mostLines` lines. */
export function isFolded({ preview }: PendingBody, mostLines: number): boolean {
  return preview !== null && preview.problem === null && countDiffLines(preview.diff) > mostLines;
}

/** Returns the number of lines of a diff, or 0 for an empty diff. */
export function countDiffLines(diff: string): number {
  return diff === "" ? 0 : diff.replace(/\n$/, "").split("\n").length;
}

/** Formats a tool call: the file change if the service has computed a preview, otherwise the arguments. */
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

/** The maximum width of the column of argument names. Longer names extend beyond it. */
const NAME_WIDTH = 20;

/** Formats all arguments without shortening them. Values of one line are aligned in a column. */
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
