// Finds the run of an agent in a command line, and reads the commands around it into a draft.
import { convertText, escapeText } from "../reading/body_text.ts";
import { type Draft, shorten } from "../reading/draft.ts";
import { readShellLine, type ShellCommand } from "../reading/shell_line.ts";
import { addPlace, type AgentProgram, findProgram } from "./agent_programs.ts";
import type { Task } from "./program_task.ts";

/** The commands that run the command after them. */
const WRAPPERS =
  /^(?:flock|timeout|nice|ionice|env|nohup|chronic|time|caffeinate|systemd-run|systemd-inhibit|systemd-cat|sudo|setsid|stdbuf|unbuffer|npx|bunx|pnpx|pnpm|exec|command|root|run-one)$/;
const SHELLS = /^(?:ba|z|da|k)?sh$/;
/** The commands that only prepare the environment of the next one. */
const PREPARATION = /^(?:\.|source|export|set|umask|eval|sleep|PATH)$/;
/** The run of an agent in a command line, and the commands around it. */
export interface FoundRun {
  program: AgentProgram;
  args: string[];
  command: ShellCommand;
  before: ShellCommand[];
  after: ShellCommand[];
  /** The words before the program's name, such as `timeout 10m`. */
  wrapper: string[];
}

/** Returns the first run of an agent in the commands of a line, or undefined. */
export function findRun(
  commands: readonly ShellCommand[],
  variables: ReadonlyMap<string, string>,
): FoundRun | undefined {
  for (const [index, command] of commands.entries()) {
    const around = { before: commands.slice(0, index), after: commands.slice(index + 1) };
    const { words } = command;
    const script = SHELLS.test(basenameOf(words[0])) &&
      words[words.findIndex((word) => /^-\w*c$/.test(word)) + 1];
    if (script && words.some((word) => /^-\w*c$/.test(word))) {
      const inner = findRun(readShellLine(script, variables), variables);
      if (inner === undefined) continue;
      const own = {
        ...inner.command,
        outputs: [...inner.command.outputs, ...command.outputs],
        variables: new Map([...command.variables, ...inner.command.variables]),
      };
      return {
        ...inner,
        command: own,
        before: [...around.before, ...inner.before],
        after: [...inner.after, ...around.after],
      };
    }
    for (const at of words.keys()) {
      // A system's crontab has the name of a user before the command.
      const isWrapped = at === 0 || WRAPPERS.test(basenameOf(words[0])) ||
        at === 1 && /^[a-z_][a-z0-9_-]*$/.test(words[0] ?? "") &&
          !/^(?:echo|which|pkill|killall|pgrep|man|type|printf|test)$/.test(words[0] ?? "");
      const program = isWrapped ? findProgram(words[at] ?? "", words.slice(at + 1)) : undefined;
      if (program !== undefined) {
        const wrapper = words.slice(0, at);
        return { program, args: words.slice(at + 1), command, wrapper, ...around };
      }
    }
  }
  return undefined;
}

/** Returns the last part of a path; empty for no path. */
export function basenameOf(word = ""): string {
  return word.split("/").at(-1) ?? "";
}

/** Returns the text of the agent, and records what surrounds its run in the line. */
export function bodyOf(
  draft: Draft,
  { system, prompt, files, found, input }: Task & { found: FoundRun; input: string },
): string {
  const { before, after, command, wrapper } = found;
  const first = before.flatMap((one) => readBefore(draft, one, command.operator === "|"));
  readWrapper(draft, wrapper);
  for (const name of command.variables.keys()) {
    draft.lose(`${name}=…`, "write it into agents/_config/.env if a tool of the agent needs it");
  }
  for (const output of command.outputs) {
    if (/^2?>&?\s*1$|\/dev\/null/.test(output)) continue;
    draft.lose(output, "inkling logs shows the answers, and `notify` sends them");
  }
  for (const one of after) {
    draft.lose(
      shorten(`${one.operator} ${one.text}`),
      "no command follows a run: `after` starts another agent, and `notify` sends a message",
    );
  }
  if (/^\s*\/[\w:-]+/.test(prompt)) {
    draft.lose(
      shorten(prompt),
      "it calls a slash command: import the commands of that folder, too",
    );
  }
  const read = [...files, ...command.input === undefined ? [] : [command.input]];
  const texts = readFiles(draft, prompt, read);
  return [...first, ...system, ...texts, input].filter((part) => part !== "")
    .map((part) => first.includes(part) ? part : convertText(draft, part)).join("\n\n");
}

/** Reads a command before the agent's. Returns a sentence for the agent, or nothing. */
function readBefore(draft: Draft, { words, text }: ShellCommand, isPiped: boolean): string[] {
  const [name = "", target = "~"] = words;
  if (name === "cd" || name === "pushd") {
    const folder = /^[~/]/.test(target) ? target : `~/${target}`;
    addPlace(draft, "work", folder, `the line runs in ${folder}`);
    return [];
  }
  if (name === "" || PREPARATION.test(name)) return [];
  const what = shorten(text);
  draft.lose(what, "no command runs before a run: the agent is told to run it");
  draft.allowCommand("*", what);
  return [
    `First run \`${escapeText(text)}\` with the tool shell${
      isPiped ? ", and read its output" : ""
    }.`,
  ];
}

/** Reads the words before the program's name. A schedule never overlaps itself, so locks need no counterpart. */
function readWrapper(draft: Draft, words: readonly string[]): void {
  const names = words.map(basenameOf);
  const limit = words.slice(names.indexOf("timeout") + 1).find((word) => /^\d+[smhd]?$/.test(word));
  if (names.includes("timeout") && limit !== undefined) {
    draft.setRun("max_duration", /\d$/.test(limit) ? `${limit}s` : limit, `timeout ${limit}`);
  }
  const other = names.find((name) => /^(?:sudo|nice|ionice)$/.test(name));
  if (other !== undefined) {
    draft.lose(other, "a run has the rights and the priority of the service");
  }
}

/** Returns the text of a task in which files are named instead of read. */
function readFiles(draft: Draft, prompt: string, files: readonly string[]): string[] {
  const wanted = [...files];
  const text = prompt.replace(
    /(?:\$\(\s*(?:cat|<)\s+|`cat\s+)["']?([^)`"']+?)["']?\s*(?:\)|`)/g,
    (_match, file: string) => {
      wanted.push(file);
      return `the file ${file}`;
    },
  ).replace(/\$\(date[^()]*\)|`date[^`]*`/g, (match) => {
    draft.change(match, "(now), because each run knows its time");
    return "(now)";
  });
  for (const match of new Set(text.match(/\$\([^()]*\)/g))) {
    draft.lose(match, "no command runs before the model reads the text");
  }
  for (const [match, name] of text.matchAll(/\$([A-Z_][A-Z0-9_]*)\b/g)) {
    if (name !== "ARGUMENTS") {
      draft.lose(
        match,
        `it stays as it is: \${${name}} stands for a variable of agents/_config/.env`,
      );
    }
  }
  for (const [index, file] of wanted.entries()) {
    const path = /^[~/]/.test(file) ? file : `~/${file}`;
    addPlace(draft, `task${index === 0 ? "" : index + 1}`, path, `the task is in ${path}`);
    draft.lose(file, "it is not read now: the agent is told to read it at each run");
  }
  const isOnlyFile = /^the file \S+$/.test(text);
  return [
    isOnlyFile ? "" : text,
    ...files.length > 0 || isOnlyFile
      ? [`Read ${wanted.map((file) => `\`${file}\``).join(" and ")}, and do the task in it.`]
      : [],
  ];
}
