// Finds the run of an agent in a command line, and reads its task and the commands around it into a draft.
import { basename } from "../../../base/plain_path.ts";
import { convertText, escapeText } from "../reading/body_text.ts";
import { type Draft, shorten, toList } from "../reading/draft.ts";
import type { ShellCommand } from "../reading/shell_line.ts";

/** A program that runs an agent. */
interface AgentProgram {
  names: RegExp;
  title: string;
  /** Matches the word that makes the program run one task without a person. */
  run: RegExp;
  /** Matches the option with the task. Without it, the task is a word of its own. */
  task?: RegExp;
}

const PRINT = /^(?:-\w*p|--print)$/;
const PROMPT = /^(?:-\w*p|--prompt)$/;
const PROGRAMS: readonly AgentProgram[] = [
  { names: /^claude(?:-code)?$/, title: "Claude Code", run: PRINT },
  { names: /^codex$/, title: "Codex", run: /^exec$/ },
  { names: /^(?:gemini(?:-cli)?|qwen)$/, title: "Gemini CLI", run: PROMPT, task: PROMPT },
  { names: /^opencode(?:-ai)?$/, title: "opencode", run: /^run$/ },
  { names: /^goose$/, title: "goose", run: /^run$/, task: /^(?:-t|--text)$/ },
  { names: /^copilot$/, title: "GitHub Copilot CLI", run: PROMPT, task: PROMPT },
  { names: /^cursor-agent$/, title: "Cursor", run: PRINT },
  { names: /^llm$/, title: "llm", run: /\s/ },
];

/** The options that are imported. Every other option is lost. */
const SYSTEM = /^--(?:append-)?system(?:-prompt)?$/;
const MODEL = /^(?:-m|--model)$/;
const ALLOWED = /^--allow(?:ed-?)?-?tools?$/i;
const DENIED = /^--(?:disallowed-?|deny-|excluded-)tools?$/i;
/** The common options without a value, after which the task may follow. */
const FLAG =
  /^--(?:json|verbose|quiet|silent|print.*|stream.*|no-.*|skip-.*|yolo|force|full-auto|auto|continue|ephemeral|debug|dangerously-.*|allow-all.*)$|^-[cqy]$/;
/** Matches a further name in a list of tools that consists of several words. */
const LIST_WORD = /^[A-Za-z_*][\w*,:-]*(?:\([^)]*\))?$/;
/** Matches the values with which a task of Codex may change files. */
const CODEX_WRITES = /^(?:--full-auto|--yolo|--dangerously-.*|workspace-write|danger-full-access)$/;

/** The commands that run the command after them. */
const WRAPPERS =
  /^(?:flock|timeout|nice|ionice|env|nohup|chronic|time|caffeinate|systemd-\w+|sudo|setsid|stdbuf|npx|bunx|pnpx|pnpm|exec|command|root|run-one)$/;
/** The commands that only prepare the environment of the next one. */
const PREPARATION = /^(?:\.|source|export|set|umask|eval|sleep)$/;

/** Returns the first run of an agent in the commands of a line, or undefined. */
function findRun(commands: readonly ShellCommand[]) {
  for (const [index, command] of commands.entries()) {
    const { words } = command;
    const isWrapper = WRAPPERS.test(basename(words[0] ?? ""));
    for (const [at, word] of words.entries()) {
      // A system's crontab has the name of a user before the program's path.
      if (at > 0 && !isWrapper && !(at === 1 && word.startsWith("/"))) break;
      const name = basename(word.replace(/(?<=.)@[\w.-]+$/, ""));
      const program = PROGRAMS.find(({ names }) => names.test(name));
      const args = words.slice(at + 1).flatMap((arg) =>
        /^(--?[A-Za-z][\w-]*)=([^]*)$/.exec(arg)?.slice(1) ?? [arg]
      );
      if (program === undefined || !args.some((arg) => program.run.test(arg))) continue;
      const [before, after] = [commands.slice(0, index), commands.slice(index + 1)];
      return { program, args, wrapper: words.slice(0, at), command, before, after };
    }
  }
  return undefined;
}

/**
 * Reads the first run of an agent in a line, and its standard input, into a draft. Returns the agent's text, and words that
 * name the task; undefined if the line runs no agent.
 */
export function readRun(
  draft: Draft,
  commands: readonly ShellCommand[],
  input: string,
): { body: string; summary: string } | undefined {
  const found = findRun(commands);
  if (found === undefined) return undefined;
  const { program: { title }, wrapper, command, before, after } = found;
  const lose = (texts: readonly string[], why: string) =>
    texts.filter((text) => text !== "").forEach((text) => draft.lose(text, why));
  const first = before.flatMap((one) => readBefore(draft, one));
  lose(
    [wrapper.join(" ")],
    "the service starts runs: `settings.max_duration` limits one, and none overlaps",
  );
  lose(
    command.variables.map((name) => `${name}=…`),
    "write it into agents/_config/.env if a tool of the agent needs it",
  );
  lose(
    command.outputs.filter((output) => !/^2>&?\s*1$|\/dev\/null/.test(output)),
    "inkling logs shows the answers, and `notify` sends them",
  );
  lose(
    after.map(({ operator, text }) => `${operator} ${text}`),
    "no command follows a run: `after` starts another agent, and `notify` sends a message",
  );
  const { system, prompt } = readTask(draft, found);
  lose(
    /^\s*\/[\w:-]+/.test(prompt) ? [prompt] : [],
    "it calls a slash command: import the commands of that folder, too",
  );
  const { task, files } = nameFiles(draft, prompt, command.input);
  const texts = [...system, task, input].filter((text) => text !== "");
  const file = basename(files[0] ?? "").replace(/\.\w+$/, "");
  const [summary = title] = [task.startsWith("Read `") ? "" : task, input, file]
    .filter((text) => text !== "");
  return {
    body: [...first, ...texts.map((text) => convertText(draft, text))].join("\n\n"),
    summary: /^[^]*?[.!?](?=\s|$)/.exec(summary)?.[0] ?? summary,
  };
}

/** Reads the arguments of a run: the task, the instructions before it, and the options. */
function readTask(
  draft: Draft,
  { program: { title, run, task }, args }: { program: AgentProgram; args: readonly string[] },
): { system: string[]; prompt: string } {
  const mark = args.findIndex((arg) => run.test(arg) && !/\s/.test(arg) && !task?.test(arg));
  const words = mark < 0 ? [...args] : args.toSpliced(mark, 1);
  const system: string[] = [];
  const prompts: string[] = [];
  const rest: string[] = [];
  const lose = (text: string) =>
    draft.lose(
      text,
      `options of ${title} are not read: \`auto_approve\`, \`shell\`, \`paths\` and \`settings\` replace some`,
    );
  args.filter((arg) => /^-\w+p$/.test(arg)).forEach(lose);
  if (title === "Codex" && !args.some((arg) => CODEX_WRITES.test(arg))) {
    draft.readOnly("a sandbox that only reads");
  }
  const isOption = (word = "-") => /^-(?:-|[A-Za-z])/.test(word);
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const take = () => words.shift() ?? "";
    if (word === "--") rest.push(...words.splice(0));
    else if (!isOption(word)) rest.push(word);
    else if (task?.test(word)) prompts.push(take());
    else if (SYSTEM.test(word) || title === "llm" && word === "-s") system.push(take());
    else if (MODEL.test(word)) draft.wants.models.push(take());
    else if (ALLOWED.test(word) || DENIED.test(word)) {
      const names = toList(take());
      while (LIST_WORD.test(words[0] ?? "")) names.push(...toList(take()));
      if (ALLOWED.test(word)) draft.preapprove(names, word);
      else draft.leaveOut(names, word);
    } else {
      const hasValue = !FLAG.test(word) && !isOption(words[0]) && !/\s/.test(words[0] ?? "");
      lose(hasValue ? `${word} ${take()}` : word);
    }
  }
  const plain = rest.filter((word) => word !== "-");
  const sentence = plain.findLast((word) => /\s/.test(word));
  if (sentence !== undefined) plain.filter((word) => word !== sentence).forEach(lose);
  return {
    system,
    prompt: [...prompts.filter((text) => text !== "-"), sentence ?? plain.join(" ")]
      .filter((text) => text !== "").join("\n\n"),
  };
}

/** Reads a command before the agent's. Returns a sentence for the agent, or nothing. */
function readBefore(draft: Draft, { words, text }: ShellCommand): string[] {
  const [name = "", target = "~"] = words;
  if (name === "cd" || name === "pushd") {
    addPlace(draft, "work", target);
    return [];
  }
  if (name === "" || PREPARATION.test(name)) return [];
  draft.lose(text, "no command runs before a run: the agent is told to run it");
  draft.allowCommand("*", shorten(text));
  return [`First run \`${escapeText(text)}\` with the tool shell, and read its output.`];
}

/** Adds a folder or file to the permissions that an agent wants. Cron starts in the home folder. */
function addPlace(draft: Draft, alias: string, written: string): string {
  const path = /^[~/]/.test(written) ? written : `~/${written}`;
  draft.grants.push({ setting: "paths", value: { [alias]: path }, why: `the line uses ${path}` });
  return path;
}

/** Returns the text of a task in which files are named instead of read, and these files. */
function nameFiles(draft: Draft, prompt: string, input?: string) {
  const files: string[] = [];
  const given = input === undefined ? "" : `$(cat ${input})`;
  const text = [prompt, prompt === "" || given === "" ? given : `The input is ${given}.`]
    .filter((one) => one !== "").join("\n\n").replace(
      /(?:\$\(\s*(?:cat|<)\s+|`cat\s+)["']?([^)`"']+?)["']?\s*(?:\)|`)/g,
      (_match, file: string) => {
        const path = addPlace(draft, `task${files.push(file)}`, file);
        draft.change(file, `the agent is told to read ${path} at each run`);
        return `the file \`${file}\``;
      },
    ).replace(/\$\(date[^()]*\)|`date[^`]*`/g, (match) => {
      draft.change(match, "(now), because each run knows its time");
      return "(now)";
    });
  for (const match of text.match(/\$\([^()]*\)|\$(?!ARGUMENTS\b)[A-Z_][A-Z0-9_]*\b/g) ?? []) {
    draft.lose(match, "it stays as it is: nothing fills it in before the model reads the text");
  }
  const [, only] = /^the file (`[^`]*`)$/.exec(text) ?? [];
  return { task: only === undefined ? text : `Read ${only}, and do the task in it.`, files };
}
