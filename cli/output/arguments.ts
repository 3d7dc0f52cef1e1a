// Formats the arguments of a tool call: on one line, or each in full. Invisible characters are escaped.
import { parseObject } from "../../present/payload.ts";
import type { Style } from "./style.ts";
import { toVisible, toVisibleLine } from "../../present/visible_text.ts";
import { shorten, widthOf } from "./width.ts";

/** The width of an argument on a shared line; a longer one would hide the others. */
const ARGUMENT_WIDTH = 60;

/** The arguments that identify a call. One of them is printed first, without its name. */
const SUBJECTS: readonly string[] = [
  ...["path", "source", "pattern", "url", "command", "query", "question", "section"],
  ...["skill_name", "agent_id", "agent_name"],
];

/** Formats arguments on one line, each in at most `width` cells: `notes.md, limit: 20`. Text that is no JSON object is not changed. */
export function formatArguments(args: string, width = ARGUMENT_WIDTH): string {
  const parsed = parseObject(args);
  if (parsed === undefined) return toVisibleLine(args);
  const entries = Object.entries(parsed);
  const subject = entries.find(([name, value]) =>
    SUBJECTS.includes(name) && typeof value === "string"
  );
  const others = entries.filter((entry) => entry !== subject);
  const showValue = (value: unknown) =>
    shorten(toVisibleLine(typeof value === "string" ? value : JSON.stringify(value)), width);
  return [
    ...(subject === undefined ? [] : [showValue(subject[1])]),
    ...others.map(([name, value]) => `${toVisibleLine(name)}: ${showValue(value)}`),
  ].join(", ");
}

/** Formats each argument in full as indented lines. Text that is no JSON object is not changed. */
export function formatWholeArguments(args: string, style: Style): string[] {
  const parsed = parseObject(args);
  if (parsed === undefined) {
    return toVisible(args).split("\n").map((line) => `    ${style.dim(line)}`);
  }
  return Object.entries(parsed).map(([name, value]) => formatWholeArgument(name, value, style));
}

/** Formats one argument in full, with its name in `width` cells; several lines follow below the name. */
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
