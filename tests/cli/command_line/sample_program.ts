// A sample program whose commands return their parsed arguments.
import assert from "node:assert/strict";
import { optional, required, rest } from "../../../cli/command_line/argument.ts";
import { declareCommand, type Program } from "../../../cli/command_line/command.ts";
import { flag, flagOrOption, option, repeatable } from "../../../cli/command_line/option.ts";
import { type CommandLine, parseCommandLine } from "../../../cli/command_line/parse.ts";
import { COUNT, oneOf, TEXT } from "../../../cli/command_line/value_type.ts";
import type { CommandContext } from "../../../cli/context/context.ts";
import { EXIT } from "../../../cli/context/exit.ts";
import {
  GLOBAL_OPTIONS,
  HELP_OPTION,
  VERSION_OPTION,
} from "../../../cli/command_line/global_options.ts";

/** The parsed command. */
export interface Request {
  command: string;
  /** The command's own options by their keys. */
  options: Readonly<Record<string, unknown>>;
  words: Readonly<Record<string, unknown>>;
  globals: Readonly<Record<string, unknown>>;
}

let heard: Omit<Request, "globals"> | undefined;

const hearing = (command: string) =>
  Promise.resolve({
    perform(_context: CommandContext, options: object, words: object) {
      heard = { command, options: { ...options }, words: { ...words } };
      return Promise.resolve(EXIT.ok);
    },
  });

/** The sample program. Its command `tell` has every kind of option and argument. */
export const SAMPLE: Program = {
  name: "sample",
  description: "Tells what it was given",
  options: { ...GLOBAL_OPTIONS, version: VERSION_OPTION, help: HELP_OPTION },
  commands: [
    declareCommand({
      name: "tell",
      description: "Tell it all",
      examples: [["sample tell 1 a b", "with words"]],
      arguments: {
        count: required("How many", COUNT),
        first: optional("The first", TEXT),
        others: rest("The others", TEXT),
      },
      options: {
        detach: flag("-d, --detach", "Go away"),
        json: flag("--json", "As JSON"),
        message: option("-m, --message <text>", "A message"),
        last: option("-n, --last <count>", "A number", COUNT),
        path: repeatable("--path <path>", "Paths", TEXT),
        unit: flagOrOption("-u, --unit [kind]", "A unit", oneOf(["one", "two"])),
      },
      conflicts: { json: ["detach"] },
    }).loads(() => hearing("tell")),
    declareCommand({
      name: "list",
      description: "List",
      examples: [],
      arguments: {},
      options: {},
    }).loads(() => hearing("list")),
    declareCommand({
      name: "secret",
      description: "Not shown",
      examples: [],
      isHidden: true,
      arguments: {},
      options: {},
    }).loads(() => hearing("secret")),
  ],
};

/** Parses a line. Returns the input of the command, or the parsed line if it names no command. */
export async function readLine(words: readonly string[]): Promise<Request | CommandLine> {
  const line = parseCommandLine(SAMPLE, words);
  if (line.kind !== "command") return line;
  heard = undefined;
  // The sample commands do not use their context.
  await line.perform({} as CommandContext);
  assert.ok(heard);
  return { ...heard as Omit<Request, "globals">, globals: { ...line.options } };
}
