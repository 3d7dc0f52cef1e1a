// Formats the help texts of the program and its commands for the width of the terminal.
import type { Style } from "../output/style.ts";
import { wrapText } from "../output/wrap.ts";
import type { Argument } from "./argument.ts";
import type { Command, Program } from "./command.ts";

/** A term of the help, such as an option, and its description. */
type Item = readonly [term: string, meaning: string];

/** The maximum width of a line, because longer lines are hard to read. */
const MOST_WIDTH = 100;
/** The minimum width of a description beside its term. If less is free, the description is printed below the term. */
const LEAST_DESCRIPTION = 24;
/**
 * The maximum length of a command's usage in the column of terms. The description of a longer usage is printed below it, so
 * that the column stays narrow.
 */
const MOST_COMMAND = 24;

/** Returns the help text of the program or of a command. */
export function formatHelp(
  program: Program,
  of: Program | Command,
  { columns, style }: { columns: number; style: Style },
): string {
  const width = Math.min(columns, MOST_WIDTH);
  const isProgram = "commands" in of;
  const words = isProgram ? [] : Object.entries(of.arguments);
  const usage = isProgram
    ? [of.name, "[options]", "[command]"]
    : [program.name, of.name, "[options]", ...words.map(toTerm)];
  const args = words.map(([name, { description, type }]): Item => [
    name,
    description + describeChoices(type.choices),
  ]);
  const options = Object.values(of.options).map(({ flags, description, type }): Item => [
    flags,
    description + describeChoices(type?.choices),
  ]);
  const commands = !isProgram ? [] : of.commands.filter(({ isHidden }) => !isHidden)
    .map((command): Item => [
      // The usage of a command omits "[options]" here, because every command has options.
      [command.name, ...Object.entries(command.arguments).map(toTerm)].join(" "),
      command.description,
    ]);
  const beside = commands.filter(([term]) => term.length <= MOST_COMMAND);
  const termWidth = widest([...args, ...options, ...beside]);
  const section = (title: string, items: readonly Item[], termWidth: number) =>
    items.length === 0 ? [] : [[
      style.bold(title),
      ...items.map((item) => formatItem(item, { width, termWidth })),
    ].join("\n")];
  const paragraphs = [
    `${style.bold("Usage:")} ${usage.join(" ")}`,
    wrapText(of.description, width),
    ...section("Arguments:", args, termWidth),
    ...section("Options:", options, termWidth),
    ...section("Commands:", commands, termWidth),
    ...(isProgram
      ? [wrapText(EXIT_CODES, width)]
      : section("Examples:", of.examples, widest(of.examples))),
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

const EXIT_CODES = "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 service unreachable, " +
  "4 waiting for an answer, 130 Ctrl+C, 141 output closed";

function toTerm([name, { isRequired, isRest }]: readonly [string, Argument]): string {
  const term = isRest ? `${name}...` : name;
  return isRequired ? `<${term}>` : `[${term}]`;
}

function describeChoices(choices: readonly string[] | undefined): string {
  if (choices === undefined) return "";
  return ` (choices: ${choices.map((choice) => `"${choice}"`).join(", ")})`;
}

function widest(items: readonly Item[]): number {
  return Math.max(0, ...items.map(([term]) => term.length));
}

function formatItem(
  [term, meaning]: Item,
  { width, termWidth }: { width: number; termWidth: number },
): string {
  const beside = width - termWidth - 4;
  if (beside < LEAST_DESCRIPTION) {
    const lines = wrapText(meaning, width - 6).split("\n");
    return [`  ${term}`, ...lines.map((line) => `      ${line}`)].join("\n");
  }
  const lines = wrapText(meaning, beside).split("\n");
  const indent = " ".repeat(termWidth + 4);
  const isLong = term.length > termWidth;
  const before = isLong ? `  ${term}\n${indent}` : `  ${term.padEnd(termWidth)}  `;
  return before + lines.join(`\n${indent}`);
}
