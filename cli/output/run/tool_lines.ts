// Formats tool calls and their results, the calls that a dry run did not make, and the figures at the end of a run.
import { formatDuration } from "../../../base/durations.ts";
import { formatArguments, formatWholeArguments } from "../arguments.ts";
import { formatDiff } from "../diff.ts";
import { formatCost, formatCount, formatPlural } from "../figures.ts";
import {
  delegatedOf,
  type DescribedCall,
  type FramePayload,
  numberOf,
  textOf,
  type ToolCall,
} from "../../../present/payload.ts";
import { sanitize, toOneLine } from "../sanitize.ts";
import type { Style } from "../style.ts";
import { toVisibleLine } from "../../../present/visible_text.ts";
import { shorten, widthOf } from "../width.ts";
import { wrapExactly, wrapText } from "../wrap.ts";

const RESULT_LINES = 3;
const ERROR_LINES = 8;
/** The minimum width for arguments on a call's line. If less is free, the arguments are omitted. */
const LEAST_ROOM = 8;

/** The layout of the lines of a call and its result. */
export interface ToolLineOptions {
  style: Style;
  /** The maximum width of shortened lines. */
  columns: number;
  /** The width at which unshortened lines wrap; Infinity if the output is no terminal. */
  width: number;
  /** The width of the text before the first line of a step, such as the time. */
  lead: number;
  /** If true, arguments and results are not shortened. */
  verbose: boolean;
  /** True if a fork copied the call from its original. */
  isTakenOver?: boolean;
}

/** Returns a call as one line without colors, such as `file_read notes.md`. */
export function describeCall({ name, args }: ToolCall): string {
  return `${toVisibleLine(name)} ${formatArguments(args)}`.trimEnd();
}

/** Returns the line of a call whose result is not known yet. */
export function formatCall(call: ToolCall, options: ToolLineOptions): string {
  return formatHead(options.style.cyan("→"), call, { ...options, end: "" });
}

/** Returns the lines of a call's result. If `call` is given, the first line contains the call's arguments. */
export function formatResult(
  payload: FramePayload,
  call: ToolCall | undefined,
  options: ToolLineOptions,
): string {
  const { style } = options;
  const name = textOf(payload, "tool_name");
  const content = textOf(payload, "content");
  const delegated = name === "run_agent" ? delegatedOf(content) : undefined;
  const hasFailed = payload["is_error"] === true ||
    delegated !== undefined && textOf(delegated, "status") !== "success";
  const { isTakenOver = false } = options;
  const mark = isTakenOver ? style.dim("↪") : hasFailed ? style.red("✖") : style.green("✔");
  const duration = numberOf(payload, "duration_ms");
  const head = formatHead(mark, call ?? { id: "", name, args: "{}" }, {
    ...options,
    end: isTakenOver ? "taken over" : duration === undefined ? "" : formatDuration(duration),
  });
  const lines = delegated === undefined
    ? formatFolded(content, { ...options, lines: hasFailed ? ERROR_LINES : RESULT_LINES })
    : formatDelegated(delegated, options);
  return [head, ...lines].join("\n");
}

/**
 * Returns the lines of a text, indented. Without `verbose` it returns the first `lines` lines, shortened, and the number of
 * further lines.
 */
export function formatFolded(
  text: string,
  options: ToolLineOptions & { lines: number },
): string[] {
  const { style, columns, width, verbose, lines } = options;
  const isWhole = verbose || lines === Infinity;
  const safe = sanitize(text).trimEnd();
  const all = (isWhole ? wrapExactly(safe, width - 4) : safe).split("\n");
  const shown = isWhole
    ? all
    : all.slice(0, lines).map((line) => shorten(line.replaceAll("\t", "  "), columns - 4));
  const left = all.length - shown.length;
  if (left > 0) {
    shown.push(
      shorten(`… ${formatCount(left)} more ${left === 1 ? "line" : "lines"}`, columns - 4),
    );
  }
  return shown.map((line) => line === "" ? "" : `    ${style.dim(line)}`);
}

/** Matches a system prompt. Its groups are the environment, which is similar for all agents, and the agent's task. */
const PROMPT = /^<environment>\n([^]*?)\n<\/environment>\n\n<task>\n([^]*)\n<\/task>$/;
const ENVIRONMENT_LINES = 1;
const OTHER_PROMPT_LINES = 3;

/** Returns the lines of a system prompt: a shortened environment, and the complete task of the agent. */
export function formatPrompt(prompt: string, options: ToolLineOptions): string[] {
  const [, environment = "", task] = PROMPT.exec(prompt.trim()) ?? [];
  if (task === undefined) return formatFolded(prompt, { ...options, lines: OTHER_PROMPT_LINES });
  return [
    ...formatFolded(environment, { ...options, lines: ENVIRONMENT_LINES }),
    "",
    ...formatFolded(task, { ...options, lines: Infinity }),
  ];
}

function formatHead(
  mark: string,
  call: ToolCall,
  options: ToolLineOptions & { end: string },
): string {
  const { style, verbose, end } = options;
  const columns = options.columns - options.lead;
  const name = toVisibleLine(call.name);
  const time = end === "" ? "" : `  ${end}`;
  if (verbose) {
    const whole = wrapExactly(formatWholeArguments(call.args, style).join("\n"), options.width);
    return `${mark} ${style.bold(name)}${style.dim(time)}${whole && `\n${whole}`}`;
  }
  const room = columns - widthOf(`  ${name}  ${time}`);
  const args = room < LEAST_ROOM ? "" : shorten(formatArguments(call.args), room);
  const shownName = shorten(name, Math.max(columns - 2 - widthOf(time), LEAST_ROOM));
  return `${mark} ${style.bold(shownName)}${args === "" ? "" : `  ${args}`}${style.dim(time)}`;
}

/** Returns the lines of a delegated execution's result: its number and figures, and the first lines of its answer. */
function formatDelegated(result: FramePayload, options: ToolLineOptions): string[] {
  const { style } = options;
  const id = numberOf(result, "execution_id");
  const tokens = numberOf(result, "total_tokens");
  const cost = numberOf(result, "cost_usd");
  const figures = [
    ...(id === undefined ? [] : [`execution ${id}`]),
    toOneLine(textOf(result, "status")),
    ...(tokens === undefined ? [] : [`${formatCount(tokens)} tokens`]),
    ...(cost === undefined ? [] : [formatCost(cost)]),
  ].join(" · ");
  const output = textOf(result, "output");
  return [
    `    ${style.cyan("↳")} ${style.dim(shorten(figures, options.columns - 6))}`,
    ...(output === "" ? [] : formatFolded(output, { ...options, lines: RESULT_LINES })),
  ];
}

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

/** Returns the figures of a frame `complete` and the number of calls, as `2.1s · 1,200 tokens · 3 tool calls`. */
export function formatEnd(payload: FramePayload, calls: number): string {
  const duration = numberOf(payload, "duration_ms");
  const tokens = numberOf(payload, "total_tokens");
  const cost = numberOf(payload, "cost_usd");
  const about = payload["usage_estimated"] === true ? "~" : "";
  return [
    ...(duration === undefined ? [] : [formatDuration(duration)]),
    ...(tokens === undefined ? [] : [`${about}${formatCount(tokens)} tokens`]),
    ...(cost === undefined ? [] : [about + formatCost(cost)]),
    ...(calls === 0 ? [] : [formatPlural(calls, "tool call")]),
  ].join(" · ");
}
