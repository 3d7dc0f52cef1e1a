// What --help says beyond the declared arguments and options: when to use a command, and examples.

/** Examples of each command, shown below its options. */
export const EXAMPLES = {
  start: [
    ["inkling start", "stay in this terminal; Ctrl+C stops the service"],
    ["inkling start -d --keep-alive", "in the background, until it is stopped"],
    ["inkling start -d --port 8420", "on TCP too, with INKLING_API_KEY set"],
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
