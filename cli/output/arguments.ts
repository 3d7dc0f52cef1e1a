// Formats the arguments of a tool call: all on one line, or each argument on lines of its own. Escapes invisible
// characters.
import { parseObject } from "../../present/payload.ts";
import type { Style } from "./style.ts";
import { toVisible, toVisibleLine } from "../../present/visible_text.ts";
import { shorten, widthOf } from "./width.ts";

/** The maximum width of an argument on a line with other arguments. */
const ARGUMENT_WIDTH = 60;

/** The names of arguments that identify a call. The first such argument of a call is printed first, without its name. */
const SUBJECTS: readonly string[] = [
  ...["path", "source", "pattern", "url", "command", "query", "question", "section"],
  ...["skill_name", "agent_id", "agent_name"],
];

/**
 * Formats arguments on one line, such as `notes.md, limit: 20`. Arguments with the value false are omitted. Each value has
 * at most `width` terminal cells. If `args` is not a JSON object, returns its text.
 */
export function formatArguments(args: string, width = ARGUMENT_WIDTH): string {
  const parsed = parseObject(args);
  if (parsed === undefined) return toVisibleLine(args);
  const entries = Object.entries(parsed);
  const subject = entries.find(([name, value]) =>
    SUBJECTS.includes(name) && typeof value === "string"
  );
  const others = entries.filter((entry) => entry !== subject && entry[1] !== false);
  const showValue = (value: unknown) =>
    shorten(toVisibleLine(typeof value === "string" ? value : JSON.stringify(value)), width);
  return [
    ...(subject === undefined ? [] : [showValue(subject[1])]),
    ...others.map(([name, value]) => `${toVisibleLine(name)}: ${showValue(value)}`),
  ].join(", ");
}

/**
 * Formats all arguments as indented lines without shortening them. If `args` is not a JSON object, returns its text in
 * lines.
 */
export function formatWholeArguments(args: string, style: Style): string[] {
  const parsed = parseObject(args);
  if (parsed === undefined) {
    return toVisible(args).split("\n").map((line) => `    ${style.dim(line)}`);
  }
  return Object.entries(parsed).map(([name, value]) => formatWholeArgument(name, value, style));
}

/**
 * Formats an argument without shortening it. Its name is padded to `width` cells. A value of several lines follows below
 * the name.
 */
export function formatWholeArgument(
  name: string,
  value: unknown,
  style: Style,
  width = 0,
): string {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const plain = `${toVisibleLine(name)}:`;
  const label = style.dim(plain);
  const shown = toVisible(text);
  const gap = " ".repeat(Math.max(1, width + 2 - widthOf(plain)));
  if (!shown.includes("\n")) return `    ${label}${gap}${shown}`;
  const lines = shown.replace(/\n$/, "").split("\n");
  return [`    ${label}`, ...lines.map((line) => `      ${line}`)].join("\n");
}
