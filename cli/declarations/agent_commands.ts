// Commands that use agents, as the command line declares them.
// They share few files, because each file that is loaded slows the start.
import { optional, required, rest } from "../command_line/argument.ts";
import { declareCommand } from "../command_line/command.ts";
import { flag, JSON_FLAG, option } from "../command_line/option.ts";
import {
  AGENT,
  AMOUNT,
  EXECUTION,
  FILE,
  MOMENT_FORMS,
  oneOf,
  TEXT,
} from "../command_line/value_type.ts";

/** `list`. */
export const list = declareCommand({
  name: "list",
  description: "List the agents",
  examples: [
    ["inkling list", "the agents of the workspace in config.yaml"],
    ["inkling list -w ~/notes", "the agents of another workspace"],
  ],
  options: JSON_FLAG,
});

/** `show`. */
export const show = declareCommand({
  name: "show",
  description: "Show what an agent's next run would be: settings, tools, prompt",
  examples: [
    ["inkling show daily", "model, settings, paths, tools and next runs"],
    ["inkling show daily --prompt", "with the messages that the model would be sent"],
  ],
  arguments: { agent: required("The agent's id", AGENT) },
  options: {
    prompt: flag("--prompt", "Add the messages that the next run would send"),
    ...JSON_FLAG,
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
    ["inkling run daily --dry-run", "what it would do, without doing it"],
  ],
  arguments: {
    agent: optional("The agent's id", AGENT),
    args: rest("Arguments for the agent's text", FILE),
  },
  options: {
    detach: flag("-d, --detach", "Return as soon as the run is accepted"),
    message: option("--message <text>", 'The user message, instead of "Execute your task"', TEXT),
    context: option("--context <text>", "Context to add to the user message", TEXT),
    dryRun: flag("--dry-run", "Change nothing: show what it would have done"),
    session: option("--session <id>", "Run it as a turn of this conversation", TEXT),
    json: flag("--json", "Print the run's frames, one JSON object per line"),
  },
});

/** `chat`. */
export const chat = declareCommand({
  name: "chat",
  description: "Talk with an agent",
  examples: [
    ["inkling chat daily", "talk with it; /exit or Ctrl+D ends the chat"],
    ["inkling chat daily --continue", "go on with the last conversation"],
    ["inkling chat", "pick the agent from a list"],
    ["inkling chat daily < questions.txt", "one turn per line"],
  ],
  arguments: { agent: optional("The agent's id", AGENT) },
  options: {
    continue: flag("--continue", "Go on with the last conversation with this agent"),
    session: option("--session <id>", "Go on with this conversation; a new id begins one", TEXT),
  },
  conflicts: { continue: ["session"] },
});

/** `budget`. */
export const budget = declareCommand({
  name: "budget",
  description: "Show what may be spent and what was, or allow more",
  examples: [
    ["inkling budget", "every budget, and the workspace's"],
    ["inkling budget daily", "those of one agent"],
    ["inkling budget daily --raise 1.00", "a dollar more today"],
    ["inkling budget --raise 5 --period month", "more for all agents together, this month"],
  ],
  arguments: { agent: optional("The agent's id", AGENT) },
  options: {
    raise: option(
      "--raise <amount>",
      "Allow so many dollars more until the period ends; without an agent, for the workspace",
      AMOUNT,
    ),
    period: option(
      "--period <period>",
      "Which budget to raise (default: day)",
      oneOf(["day", "month", "tree"]),
    ),
    tokens: flag("--tokens", "Raise the budget in tokens, not the one in dollars"),
    execution: option("--execution <id>", "Of which run to raise the budget tree", EXECUTION),
    ...JSON_FLAG,
  },
});

/** `resume`. */
export const resume = declareCommand({
  name: "resume",
  description: "Let an agent's stopped trigger fire again",
  examples: [["inkling resume daily", "after the cause of its failures is fixed"]],
  arguments: { agent: required("The agent's id", AGENT) },
  options: JSON_FLAG,
});

/** `why`. */
export const why = declareCommand({
  name: "why",
  description: "Say why an agent ran or did not run, and what to do",
  examples: [
    ["inkling why daily", "the last time that it ran or should have run"],
    ["inkling why daily 02:30", "at half past two in the night"],
  ],
  arguments: {
    agent: required("The agent's id", AGENT),
    time: optional(`When: ${MOMENT_FORMS}`, TEXT),
  },
  options: JSON_FLAG,
});
