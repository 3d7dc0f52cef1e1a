// What --help says beyond the declared arguments and options: examples, and how everything is laid out.
import {
  type Argument,
  Help,
  type HelpConfiguration,
  type Option,
} from "@commander-js/extra-typings";
import { INSTALL_COMMANDS } from "./completions/shell_script.ts";
import type { Style } from "./output/style.ts";
import { wrapText } from "./output/wrap.ts";

/** Examples of each command, shown below its options. */
export const EXAMPLES = {
  setup: [
    ["inkling setup", "answer a few questions; Enter keeps what is there"],
    ["inkling setup --yes --provider ollama --model qwen3", "no questions"],
    ["inkling setup -y --provider openai --api-key-stdin < key.txt", "with a key"],
  ],
  new: [
    ["inkling new daily", "say what it is for; the model writes the file"],
    ["inkling new daily --template", "answer questions instead"],
    ['inkling new tidy --every 1d --prompt "Sort inbox/."', "no questions"],
    ["inkling new daily --prompt - < task.md", "its task from a file"],
  ],
  start: [
    ["inkling start", "stay in this terminal; Ctrl+C stops the service"],
    ["inkling start -d --keep-alive", "in the background, until it is stopped"],
    ["inkling start -d --port 8420", "on TCP too, with INKLING_API_KEY set"],
    ["inkling start --print-unit", "a file for systemd or launchd, to start it by itself"],
  ],
  status: [
    ["inkling status", "whether it runs, since when, for which workspace"],
    ["inkling status --json", "the same for a program"],
  ],
  stop: [
    ["inkling stop", "let running executions finish, then stop"],
    ["inkling stop --timeout 60", "give it a minute before it is forced"],
  ],
  list: [
    ["inkling list", "the agents of the workspace in config.yaml"],
    ["inkling list -w ~/notes", "those of another workspace"],
  ],
  run: [
    ["inkling run daily", "run it and watch"],
    ["inkling run translate notes.md de", "with arguments: $0 and $1 in the agent's text"],
    ["inkling run daily -q > report.md", "only the answer"],
    ["inkling run daily -d", "start it and come back at once"],
  ],
  chat: [
    ["inkling chat daily", "talk with it; /exit or Ctrl+D ends the chat"],
    ["inkling chat", "pick the agent from a list"],
    ["inkling chat daily < questions.txt", "a turn for each line"],
  ],
  pending: [
    ["inkling pending", "what waits for you, and until when"],
    ["inkling pending --json", "the same for a program"],
  ],
  respond: [
    ["inkling respond 12", "see what it wants, and decide"],
    ["inkling respond 12 --yes", "allow it"],
    ['inkling respond 12 --no --reason "Not on Fridays"', "deny it, and say why"],
    ['inkling respond 12 --text "The blue one"', "answer a question"],
    ["inkling respond 12 --choice 2 --choice blue", "choose, by number or value"],
  ],
  logs: [
    ["inkling logs daily", "the last ten executions"],
    ["inkling logs -e 12", "what was said in execution 12"],
    ["inkling logs -f", "the service's own log, as it grows"],
  ],
  checkpoint: [
    ["inkling checkpoint", "how much is stored of each agent"],
    ["inkling checkpoint --purge", "remove what nobody needs"],
    ["inkling checkpoint --purge --agent daily --force", "remove all of one agent"],
  ],
  validate: [
    ["inkling validate", "check every agent"],
    ["inkling validate daily", "check one"],
    ["inkling validate ./draft.md", "check a file"],
  ],
  info: [
    ["inkling info", "which files are read, which providers have a key"],
  ],
  permissions: [
    ["inkling permissions", "the flags, one a line, and what each is for"],
    ["inkling permissions --command", "all of them in a command to paste"],
    ["deno task start:scoped", "in Inkling's source: start with them"],
  ],
  ui: [
    ["inkling ui", "open it in the browser; Ctrl+C ends it (exit code 130)"],
    ["inkling ui --no-open", "print the address, to open it yourself"],
  ],
  update: [
    ["inkling update", "install the newest version in the place of this one"],
    ["inkling update --check", "only look whether there is one"],
  ],
  completions: [
    [INSTALL_COMMANDS.bash, "install for bash"],
    [INSTALL_COMMANDS.zsh, "install for zsh"],
    [INSTALL_COMMANDS.fish, "install for fish"],
    ['eval "$(inkling completions bash)"', "for this shell alone (zsh alike)"],
  ],
} as const satisfies Record<string, readonly (readonly [command: string, meaning: string])[]>;

/** How help texts are laid out. */
export interface HelpLayout {
  /** Cells of a line. */
  width: number;
  style: Style;
}

/** A description beside its term needs so many cells; where there are fewer it stands below. */
const LEAST_DESCRIPTION = 24;

/** The part of the parser's help that is ours: titles that stand out, and terms above their meaning where it is narrow. */
export function helpConfiguration({ width, style }: HelpLayout): HelpConfiguration {
  return {
    helpWidth: width,
    styleTitle: style.bold,
    // Every command has options: to say so of each says nothing.
    subcommandTerm: (command) =>
      [command.name(), ...command.registeredArguments.map(toArgument)].join(" "),
    visibleOptions(command) {
      const options = Help.prototype.visibleOptions.call(this, command);
      const rank = (option: Option) => GLOBAL_OPTIONS.indexOf(option.name());
      return options.toSorted((a, b) => rank(a) - rank(b));
    },
    formatItem(term, termWidth, description) {
      return formatItem(term, description, { width, termWidth });
    },
  };
}

/** What every command takes stands behind what it takes alone. */
const GLOBAL_OPTIONS: readonly string[] = ["quiet", "verbose", "workspace", "version", "help"];

function toArgument(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? "..." : "");
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** The examples as a block of text. */
export function formatExamples(
  examples: readonly (readonly [string, string])[],
  { width, style }: HelpLayout,
): string {
  const termWidth = Math.max(...examples.map(([command]) => command.length));
  const lines = examples.map(([command, meaning]) =>
    formatItem(command, meaning, { width, termWidth })
  );
  return `\n${style.bold("Examples:")}\n${lines.join("\n")}`;
}

/** What the exit codes mean, below the list of commands. */
export function formatExitCodes({ width }: HelpLayout): string {
  return `\n${wrapText(EXIT_CODES, width)}`;
}

const EXIT_CODES = "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no service, " +
  "4 waits for an answer, 130 Ctrl+C, 141 nobody reads the output";

function formatItem(
  term: string,
  description: string,
  { width, termWidth }: { width: number; termWidth: number },
): string {
  if (description === "") return `  ${term}`;
  const beside = width - termWidth - 4;
  if (beside < LEAST_DESCRIPTION) {
    const lines = wrapText(description, width - 6).split("\n");
    return [`  ${term}`, ...lines.map((line) => `      ${line}`)].join("\n");
  }
  const lines = wrapText(description, beside).split("\n");
  const indent = " ".repeat(termWidth + 4);
  return `  ${term.padEnd(termWidth)}  ${lines.join(`\n${indent}`)}`;
}
