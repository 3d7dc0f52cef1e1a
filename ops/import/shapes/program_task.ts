// Reads the arguments of a program that runs an agent: its options into a draft, and the rest as the task.
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { applyRules, type Draft } from "../reading/draft.ts";
import {
  type AgentProgram,
  FLAGS,
  PROMPT_FILES,
  PROMPTS,
  splitClusters,
  SYSTEM_PROMPTS,
  toTexts,
} from "./agent_programs.ts";

/** The texts of a task. */
export interface Task {
  /** The instructions before the task. */
  system: string[];
  prompt: string;
  /** The files that contain the task. */
  files: string[];
}

/** Matches a further name in a list of tools or folders that consists of several words. */
const LIST_WORD = /^[A-Za-z_*/.~][\w*/.,~:-]*(?:\([^)]*\))?$/;
const LISTS = /tools$|dir$|directories$/;

/** Reads the arguments of a program into a draft, and returns the task. */
export function readTask(draft: Draft, program: AgentProgram, args: readonly string[]): Task {
  const isSubcommand = program.runs[0]?.startsWith("-") === false;
  const own = splitClusters(isSubcommand ? args.slice(1) : args, program);
  const { given, rest } = parseArguments(own, program);
  applyRules(draft, given, program.rules);
  const { unless } = program;
  if (unless?.given.every((name) => given[name] === undefined)) unless.apply(draft);
  const textsOf = (names: readonly string[]) =>
    names.flatMap((name) => toTexts(given[name])).filter((one) => one !== "-");
  const words = rest.filter((word) => word !== "-");
  const sentence = words.findLast((word) => /\s/.test(word));
  for (const word of sentence === undefined ? [] : words) {
    if (word !== sentence) draft.lose(word, `${program.title} may know it, and Inkling does not`);
  }
  return {
    system: textsOf(SYSTEM_PROMPTS),
    prompt: [...textsOf(PROMPTS), sentence ?? words.join(" ")].filter((one) => one !== "")
      .join("\n\n"),
    files: textsOf(PROMPT_FILES),
  };
}

/** Splits arguments into the values of options, and the other words. An option that occurs twice has a list of values. */
function parseArguments(
  args: readonly string[],
  { rules, flags = [], aliases }: AgentProgram,
): { given: JsonObject; rest: string[] } {
  const given: JsonObject = {};
  const rest: string[] = [];
  const add = (name: string, value: JsonValue) => {
    const before = given[name];
    given[name] = before === undefined ? value : [before, value].flat();
  };
  const words = [...args];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "--") return { given, rest: [...rest, ...words] };
    const [, written, value] = /^--?([A-Za-z][\w-]*)(?:=([^]*))?$/.exec(word) ?? [];
    if (written === undefined) {
      rest.push(word);
      continue;
    }
    const name = aliases[written] ?? written;
    const isFlag = FLAGS.includes(name) || flags.includes(name) || !Object.hasOwn(rules, name);
    if (value !== undefined) add(name, value);
    else if (isFlag || words.length === 0 || /^--?[A-Za-z]/.test(words[0] ?? "")) add(name, true);
    else {
      add(name, words.shift() ?? "");
      while (LISTS.test(name) && LIST_WORD.test(words[0] ?? "")) add(name, words.shift() ?? "");
    }
  }
  return { given, rest };
}
