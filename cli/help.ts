// What --help says beyond the declared arguments and options: when to use a command, and examples.

/** Examples of each command, shown below its options. */
export const EXAMPLES = {
  start: [
    ["inkling start", "stay in this terminal; Ctrl+C stops the service"],
    ["inkling start -d --keep-alive", "in the background, until it is stopped"],
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
  logs: [
    ["inkling logs daily", "the last ten executions"],
    ["inkling logs -e 12", "what was said in execution 12"],
    ["inkling logs -f", "the service's own log, as it grows"],
  ],
  validate: [
    ["inkling validate", "check every agent"],
    ["inkling validate daily", "check one"],
    ["inkling validate ./draft.md", "check a file"],
  ],
  info: [
    ["inkling info", "which files are read, which providers have a key"],
  ],
} as const satisfies Record<string, readonly (readonly [command: string, meaning: string])[]>;

/** The examples as a block of text. */
export function formatExamples(examples: readonly (readonly [string, string])[]): string {
  const width = Math.max(...examples.map(([command]) => command.length));
  const lines = examples.map(([command, meaning]) => `  ${command.padEnd(width)}  ${meaning}`);
  return `\nExamples:\n${lines.join("\n")}`;
}

/** What the exit codes mean, below the list of commands. */
export const EXIT_CODES_HELP = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no service, 4 waits for an answer, 130 Ctrl+C`;
