// A small program whose commands tell what they were given, and lines of it made by chance.
import assert from "node:assert/strict";
import fc from "fast-check";
import { optional, required, rest } from "../../../cli/command_line/argument.ts";
import { declareCommand, type Program } from "../../../cli/command_line/command.ts";
import { flag, flagOrOption, option, repeatable } from "../../../cli/command_line/option.ts";
import { type CommandLine, parseCommandLine } from "../../../cli/command_line/parse.ts";
import { COUNT, oneOf, TEXT } from "../../../cli/command_line/value_type.ts";
import type { CommandContext } from "../../../cli/context.ts";
import { EXIT } from "../../../cli/exit.ts";
import { GLOBAL_OPTIONS, HELP_OPTION, VERSION_OPTION } from "../../../cli/global_options.ts";

/** What a line asks a command to do. */
export interface Request {
  command: string;
  /** Options of the command's own, by their keys. */
  options: Readonly<Record<string, unknown>>;
  words: Readonly<Record<string, unknown>>;
  globals: Readonly<Record<string, unknown>>;
}

let heard: Omit<Request, "globals"> | undefined;

const hear = (command: string, options: object, words: object) => {
  heard = { command, options: { ...options }, words: { ...words } };
  return Promise.resolve(EXIT.ok);
};

/** Its command `tell` takes some of everything. */
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
        message: option("-m, --message <text>", "A message", TEXT),
        last: option("-n, --last <count>", "A number", COUNT),
        path: repeatable("--path <path>", "Paths", TEXT),
        unit: flagOrOption("-u, --unit [kind]", "A unit", oneOf(["one", "two"])),
      },
      conflicts: { json: ["detach"] },
      perform: (_context, options, words) => hear("tell", options, words),
    }),
    declareCommand({
      name: "list",
      description: "List",
      examples: [],
      arguments: {},
      options: {},
      perform: (_context, options, words) => hear("list", options, words),
    }),
    declareCommand({
      name: "secret",
      description: "Not shown",
      examples: [],
      isHidden: true,
      arguments: {},
      options: {},
      perform: (_context, options, words) => hear("secret", options, words),
    }),
  ],
};

/** What the line asks a command to do; the line itself where it asks for something else. */
export async function readLine(words: readonly string[]): Promise<Request | CommandLine> {
  const line = parseCommandLine(SAMPLE, words);
  if (line.kind !== "command") return line;
  heard = undefined;
  // The commands above look at nothing around them.
  await line.perform({} as CommandContext);
  assert.ok(heard);
  return { ...heard as Omit<Request, "globals">, globals: { ...line.options } };
}

/** An option on a line: its spelling, and what it does to a request. */
interface Typed {
  words: readonly string[];
  apply: (options: Record<string, unknown>) => void;
}

const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom("-q", "--", "--json", "-", "-5", "a=b", "list", "", "é"),
);

/** The ways to type an option with a text. */
function spellings(long: string, short: string | undefined, value: string): string[][] {
  const shorts = short === undefined ? [] : [[short, value], ...(value ? [[short + value]] : [])];
  return [[long, value], [`${long}=${value}`], ...shorts];
}

function typedText(
  key: string,
  names: { long: string; short?: string },
  options: { texts?: fc.Arbitrary<string>; read?: (text: string) => unknown },
): fc.Arbitrary<Typed> {
  const { texts = text, read = (text) => text } = options;
  return texts.chain((value) =>
    fc.constantFrom(...spellings(names.long, names.short, value)).map((words) => ({
      words,
      apply: (options) => options[key] = read(value),
    }))
  );
}

function typedFlag(key: string, ...names: string[]): fc.Arbitrary<Typed> {
  return fc.constantFrom(...names).map((name) => ({
    words: [name],
    apply: (options) => options[key] = true,
  }));
}

const count = fc.integer({ min: 1, max: 99_999 }).map(String);

const ownOption: fc.Arbitrary<Typed> = fc.oneof(
  typedFlag("detach", "-d", "--detach"),
  typedText("message", { long: "--message", short: "-m" }, {}),
  typedText("last", { long: "--last", short: "-n" }, { texts: count, read: Number }),
  fc.tuple(text, fc.boolean()).map(([value, joined]): Typed => ({
    words: joined ? [`--path=${value}`] : ["--path", value],
    apply: (options) => options["path"] = [...(options["path"] as string[] ?? []), value],
  })),
  typedText("unit", { long: "--unit", short: "-u" }, { texts: fc.constantFrom("one", "two") }),
);

const globalOption: fc.Arbitrary<Typed> = fc.oneof(
  typedFlag("quiet", "-q", "--quiet"),
  typedFlag("verbose", "-v", "--verbose"),
  typedText("workspace", { long: "--workspace", short: "-w" }, {
    texts: text.filter((value) => value !== ""),
  }),
);

/** Operands that are none but because of `--` before them, or by themselves. */
const operand = fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom("-x", "--json", "--", "-3"));

/** A line for `tell` that is right, and what it asks for. */
export const rightLine: fc.Arbitrary<{ words: string[]; request: Request }> = fc.tuple(
  fc.array(globalOption, { maxLength: 3 }),
  fc.array(fc.tuple(fc.oneof(ownOption, globalOption), fc.nat(4)), { maxLength: 6 }),
  fc.tuple(count, fc.array(operand, { maxLength: 3 })),
).map(([before, behind, [number, others]]) => {
  const globals: Record<string, unknown> = {};
  const options: Record<string, unknown> = {};
  for (const { apply } of before) apply(globals);
  const operands = [number, ...others];
  // Words that look like options go behind the dashes, with all that follow.
  const firstOdd = operands.findIndex((word) => word.startsWith("-") && word !== "-");
  const plain = firstOdd === -1 ? operands : operands.slice(0, firstOdd);
  const odd = operands.slice(plain.length);
  const line: string[] = [];
  for (let gap = 0; gap <= plain.length; gap++) {
    for (const [{ words, apply }, place] of behind) {
      if (place % (plain.length + 1) !== gap) continue;
      line.push(...words);
      apply(options);
    }
    line.push(...plain.slice(gap, gap + 1));
  }
  const { quiet, verbose, workspace, ...own } = options;
  const nearer = Object.fromEntries(
    Object.entries({ quiet, verbose, workspace }).filter(([, value]) => value !== undefined),
  );
  const [first, ...more] = others;
  return {
    words: [
      ...before.flatMap(({ words }) => words),
      "tell",
      ...line,
      ...(odd.length > 0 ? ["--", ...odd] : []),
    ],
    request: {
      command: "tell",
      options: own,
      words: { count: Number(number), first, others: more },
      globals: { ...globals, ...nearer },
    },
  };
});
