// Declares the commands that list, run and explain agents.
// One file contains many declarations, because each imported file slows down the start of every command.
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
import { BUDGET_PERIODS } from "../../runtime/vocabulary/budget_periods.ts";

/** The declaration of `inkling list`. */
export const list = declareCommand({
  name: "list",
  description: "List the agents",
  examples: [
    ["inkling list", "the agents of the workspace in config.yaml"],
    ["inkling list -w ~/notes", "the agents of another workspace"],
  ],
  options: JSON_FLAG,
});

/** The declaration of `inkling show`. */
export const show = declareCommand({
  name: "show",
  description: "Show the settings, tools and prompt of an agent's next run",
  examples: [
    ["inkling show daily", "model, settings, paths, tools and next runs"],
    ["inkling show daily --prompt", "with the messages that the model would get"],
  ],
  arguments: { agent: required("The agent's id", AGENT) },
  options: {
    prompt: flag("--prompt", "Show the messages that the next run would send, too"),
    ...JSON_FLAG,
  },
});

/** The declaration of `inkling run`. */
export const run = declareCommand({
  name: "run",
  description: "Run an agent and show its progress",
  examples: [
    ["inkling run daily", "run it and watch"],
    ["inkling run translate notes.md de", "with arguments: $0 and $1 in the agent's text"],
    ["inkling run daily -q > report.md", "only the answer"],
    ["inkling run daily -d", "start it in the background"],
    ["inkling run daily --dry-run", "show the changes that it would make, and make none"],
  ],
  arguments: {
    agent: optional("The agent's id", AGENT),
    args: rest("Arguments for the agent's text", FILE),
  },
  options: {
    detach: flag("-d, --detach", "Return as soon as the run is accepted"),
    message: option("--message <text>", 'The user message, instead of "Execute your task"'),
    context: option("--context <text>", "Context to add to the user message"),
    dryRun: flag("--dry-run", "Change nothing; show the changes that it would make"),
    session: option("--session <id>", "Run it as a turn of this conversation"),
    json: flag("--json", "Print the run's frames, one JSON object per line"),
  },
});

/** The declaration of `inkling chat`. */
export const chat = declareCommand({
  name: "chat",
  description: "Talk with an agent",
  examples: [
    ["inkling chat daily", "start a conversation; /exit or Ctrl+D ends it"],
    ["inkling chat daily --continue", "continue the last conversation"],
    ["inkling chat", "pick the agent from a list"],
    ["inkling chat daily < questions.txt", "one turn per line"],
  ],
  arguments: { agent: optional("The agent's id", AGENT) },
  options: {
    continue: flag("--continue", "Continue the last conversation with this agent"),
    session: option(
      "--session <id>",
      "Continue the conversation with this id, or start one with it",
    ),
  },
  conflicts: { continue: ["session"] },
});

/** The declaration of `inkling acp`. */
export const acp = declareCommand({
  name: "acp",
  description: "Let an editor talk with an agent, over the Agent Client Protocol",
  examples: [["inkling acp reviewer", "the command to enter in the editor's settings"]],
  arguments: { agent: required("The agent's id", AGENT) },
});

/** The declaration of `inkling budget`. */
export const budget = declareCommand({
  name: "budget",
  description: "Show the budgets and how much of each is used, or raise one",
  examples: [
    ["inkling budget", "the budgets of the workspace and of every agent"],
    ["inkling budget daily", "the budgets of one agent"],
    ["inkling budget daily --raise 1.00", "one dollar more for today"],
    ["inkling budget --raise 5 --period month", "five dollars more for the workspace this month"],
  ],
  arguments: { agent: optional("The agent's id", AGENT) },
  options: {
    raise: option(
      "--raise <amount>",
      "Raise the budget by this many dollars until its period ends (without an agent: the workspace's)",
      AMOUNT,
    ),
    period: option(
      "--period <period>",
      "The period of the budget to raise (default: day)",
      oneOf(BUDGET_PERIODS),
    ),
    tokens: flag("--tokens", "Raise the budget in tokens instead of the one in dollars"),
    execution: option(
      "--execution <id>",
      "With --period tree: raise the budget of this execution and the runs that it delegated",
      EXECUTION,
    ),
    ...JSON_FLAG,
  },
});

/** The declaration of `inkling resume`. */
export const resume = declareCommand({
  name: "resume",
  description: "Resume an agent's paused trigger",
  examples: [["inkling resume daily", "after you have fixed the cause of its failures"]],
  arguments: { agent: required("The agent's id", AGENT) },
  options: JSON_FLAG,
});

/** The declaration of `inkling why`. */
export const why = declareCommand({
  name: "why",
  description: "Explain why an agent ran or did not run, and what to do",
  examples: [
    ["inkling why daily", "explain its last run, or the last time that it did not run"],
    ["inkling why daily 02:30", "explain its run at 02:30"],
  ],
  arguments: {
    agent: required("The agent's id", AGENT),
    time: optional(`The time to explain: ${MOMENT_FORMS}`, TEXT),
  },
  options: JSON_FLAG,
});
