// The reference of the command line as Markdown, from the declarations of the commands.
import type { Argument } from "../../cli/command_line/argument.ts";
import type { Command } from "../../cli/command_line/command.ts";
import { GLOBAL_OPTIONS, HELP_OPTION } from "../../cli/command_line/global_options.ts";
import { PROGRAM } from "../../cli/program.ts";
import { EXIT } from "../../cli/context/exit.ts";
import { code, tableOf } from "./markdown_table.ts";

/** The exit codes with their meaning and the next step. */
const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, readonly [string, string]>> = {
  ok: ["done", ""],
  failed: ["the command or the run failed", "read the message; for a run, `inkling logs -e <id>`"],
  usage: ["the command line is invalid, or names something that does not exist", "`--help`"],
  unreachable: ["the service cannot be reached or started", "`inkling doctor`"],
  waiting: ["the run waits for your answer", "`inkling pending`"],
  interrupted: ["Ctrl+C", ""],
  unread: ["the program that reads the output has closed it", ""],
};

/** Returns the table of the exit codes. */
export function exitCodeTable(): string {
  const rows = Object.entries(EXIT_MEANINGS).map(([name, [meaning, next]]) =>
    [code(EXIT[name as keyof typeof EXIT]), meaning, next] as const
  );
  return tableOf(["Exit code", "Meaning", "What to do"], rows);
}

/** Returns a table of the options that every command has. */
export function globalOptionTable(): string {
  const rows = [...Object.values(GLOBAL_OPTIONS), HELP_OPTION].map(({ flags, description }) => [
    code(flags),
    description,
  ]);
  return tableOf(["Option", "Meaning"], rows);
}

/** Returns a section for each command. */
export function commandSections(): string {
  return PROGRAM.commands.filter(({ isHidden }) => !isHidden).map(toSection).join("\n\n");
}

function toSection(command: Command): string {
  const words = Object.entries(command.arguments);
  const usage = [PROGRAM.name, command.name, "[options]", ...words.map(toTerm)].join(" ");
  const shared = new Set<string>([
    ...Object.values(GLOBAL_OPTIONS).map(({ long }) => long),
    HELP_OPTION.long,
  ]);
  const rows = [
    ...words.map(([name, { description, type }]) => [
      code(name),
      description + describeChoices(type.choices),
    ]),
    ...Object.values(command.options).filter(({ long }) => !shared.has(long))
      .map(({ flags, description, type }) => [
        code(flags),
        description + describeChoices(type?.choices),
      ]),
  ];
  const width = Math.max(0, ...command.examples.map(([line]) => line.length));
  const examples = command.examples.map(([line, meaning]) => `${line.padEnd(width)}  # ${meaning}`);
  return [
    `## ${command.name}`,
    `${command.description}.`,
    `\`\`\`text\n${[usage, ...(examples.length > 0 ? ["", ...examples] : [])].join("\n")}\n\`\`\``,
    ...(rows.length === 0 ? [] : [tableOf(["Argument or option", "Meaning"], rows)]),
  ].join("\n\n");
}

function toTerm([name, { isRequired, isRest }]: readonly [string, Argument]): string {
  const term = isRest ? `${name}...` : name;
  return isRequired ? `<${term}>` : `[${term}]`;
}

function describeChoices(choices: readonly string[] | undefined): string {
  return choices === undefined ? "" : `: ${choices.map(code).join(", ")}`;
}
