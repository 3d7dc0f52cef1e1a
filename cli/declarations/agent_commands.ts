// Commands about agents, as the command line declares them.
// A command's code is loaded only when it is chosen; the declarations share few files, because each file that is
// loaded slows the start.
import { optional, required, rest } from "../command_line/argument.ts";
import { declareCommand } from "../command_line/command.ts";
import { flag, option, repeatable } from "../command_line/option.ts";
import { AGENT, AGENT_OR_FILE, FILE, TEXT } from "../command_line/value_type.ts";

/** `new`. */
export const newCommand = declareCommand({
  name: "new",
  description: "Create an agent: the model writes it, or you answer questions",
  examples: [
    ["inkling new daily", "describe its purpose; the model writes the file"],
    ["inkling new daily --template", "answer questions instead"],
    ['inkling new tidy --every 1d --prompt "Sort inbox/."', "ask no questions"],
    ["inkling new daily --prompt - < task.md", "read its task from a file"],
  ],
  arguments: {
    name: required("The agent's id: letters, digits, spaces, hyphens, underscores", TEXT),
  },
  options: {
    template: flag("-t, --template", "Answer questions instead of having the model write it"),
    description: option("--description <text>", "What the agent is for", TEXT),
    prompt: option(
      "--prompt <text>",
      'The agent\'s task ("-" reads standard input); asks no questions',
      TEXT,
    ),
    provider: option("--provider <name>", "The model's provider (default: from config.yaml)", TEXT),
    model: option("--model <name>", "The model (default: from config.yaml)", TEXT),
    baseUrl: option(
      "--base-url <url>",
      "The provider's address, if its name does not imply one",
      TEXT,
    ),
    every: option("--every <interval>", "Run it at this interval: 30m, 1h30m, 1d", TEXT),
    cron: option("--cron <expression>", 'Run it on a cron schedule: "30 8 * * 1-5"', TEXT),
    watch: repeatable("--watch <path>", "Run it when this path changes; may be repeated", FILE),
    path: repeatable("--path <path>", "A file or folder it may use; may be repeated", FILE),
  },
  conflicts: { template: ["prompt"], every: ["cron", "watch"], cron: ["watch"] },
  async perform(context, options, { name }) {
    const { newAgent } = await import("../commands/new.ts");
    return await newAgent(context, name, options);
  },
});

/** `list`. */
export const list = declareCommand({
  name: "list",
  description: "List the agents",
  examples: [
    ["inkling list", "the agents of the workspace in config.yaml"],
    ["inkling list -w ~/notes", "the agents of another workspace"],
  ],
  arguments: {},
  options: {
    json: flag("--json", "Print JSON"),
  },
  async perform(context, options) {
    const { list } = await import("../commands/list.ts");
    return await list(context, options);
  },
});

/** `run`. */
export const run = declareCommand({
  name: "run",
  description: "Run an agent and show what it does",
  examples: [
    ["inkling run daily", "run it and watch"],
    ["inkling run translate notes.md de", "with arguments: $0 and $1 in the agent's text"],
    ["inkling run daily -q > report.md", "only the answer"],
    ["inkling run daily -d", "start it and return at once"],
  ],
  arguments: {
    agent: optional("The agent's id", AGENT),
    args: rest("Arguments for the agent's text", FILE),
  },
  options: {
    detach: flag("-d, --detach", "Return as soon as the run is accepted"),
    message: option("--message <text>", 'The user message, instead of "Execute your task"', TEXT),
    context: option("--context <text>", "Context to add to the user message", TEXT),
    session: option("--session <id>", "Run it as a turn of this conversation", TEXT),
    json: flag("--json", "Print the run's frames, one JSON object per line"),
  },
  async perform(context, options, { agent, args }) {
    const { run } = await import("../commands/run.ts");
    return await run(context, agent, args, options);
  },
});

/** `chat`. */
export const chat = declareCommand({
  name: "chat",
  description: "Talk with an agent",
  examples: [
    ["inkling chat daily", "talk with it; /exit or Ctrl+D ends the chat"],
    ["inkling chat", "pick the agent from a list"],
    ["inkling chat daily < questions.txt", "one turn per line"],
  ],
  arguments: { agent: optional("The agent's id", AGENT) },
  options: {},
  async perform(context, _options, { agent }) {
    const { chat } = await import("../commands/chat.ts");
    return await chat(context, agent);
  },
});

/** `validate`. */
export const validate = declareCommand({
  name: "validate",
  description: "Check agent files",
  examples: [
    ["inkling validate", "check every agent"],
    ["inkling validate daily", "check one"],
    ["inkling validate ./draft.md", "check a file"],
  ],
  arguments: { agent: optional("An agent's id, or the path of a .md file", AGENT_OR_FILE) },
  options: {
    json: flag("--json", "Print JSON"),
  },
  async perform(context, options, { agent }) {
    const { validate } = await import("../commands/validate.ts");
    return await validate(context, agent, options);
  },
});
