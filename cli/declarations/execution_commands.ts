// Commands about executions, their questions and their records, as the command line declares them.
// A command's code is loaded only when it is chosen; the declarations share few files, because each file that is
// loaded slows the start.
import { optional, required } from "../command_line/argument.ts";
import { declareCommand } from "../command_line/command.ts";
import { flag, option, repeatable } from "../command_line/option.ts";
import { AGENT, COUNT, EXECUTION, TEXT, WAITING_EXECUTION } from "../command_line/value_type.ts";

/** `pending`. */
export const pending = declareCommand({
  name: "pending",
  description: "List the executions that are waiting for an answer",
  examples: [
    ["inkling pending", "what is waiting for you, and until when"],
    ["inkling pending --json", "the same as JSON"],
  ],
  arguments: {},
  options: {
    json: flag("--json", "Print JSON"),
  },
  async perform(context, options) {
    const { pending } = await import("../commands/pending.ts");
    return await pending(context, options);
  },
});

/** `respond`. */
export const respond = declareCommand({
  name: "respond",
  description: "Answer a waiting execution and watch it continue; without options it asks you",
  examples: [
    ["inkling respond 12", "see the question, and decide"],
    ["inkling respond 12 --yes", "allow it"],
    ['inkling respond 12 --no --reason "Not on Fridays"', "deny it, with a reason"],
    ['inkling respond 12 --text "The blue one"', "answer a question"],
    ["inkling respond 12 --choice 2 --choice blue", "choose, by number or value"],
  ],
  arguments: { execution_id: required("The execution's id", WAITING_EXECUTION) },
  options: {
    yes: flag("--yes", "Allow it"),
    no: flag("--no", "Deny it"),
    reason: option("--reason <text>", "With --yes or --no: a comment for the agent", TEXT),
    text: option("--text <text>", "Answer a question with this text", TEXT),
    choice: repeatable(
      "--choice <value>",
      "Choose this, by value or by number; may be repeated",
      TEXT,
    ),
  },
  async perform(context, options, { execution_id: id }) {
    const { respond } = await import("../commands/respond.ts");
    return await respond(context, id, options);
  },
});

/** `checkpoint`. */
export const checkpoint = declareCommand({
  name: "checkpoint",
  description: "Show or remove stored conversations",
  examples: [
    ["inkling checkpoint", "how much is stored for each agent"],
    ["inkling checkpoint --purge", "keep only the newest and the waiting ones"],
    ["inkling checkpoint --purge --agent daily --force", "remove all of one agent"],
  ],
  arguments: {},
  options: {
    stats: flag("--stats", "Show what is stored (the default)"),
    purge: flag("--purge", "Remove all but the newest of each agent and the waiting ones"),
    agent: option("--agent <id>", "Only this agent's conversations", AGENT),
    force: flag(
      "--force",
      "With --purge: also remove the newest and the waiting ones; waiting runs are ended",
    ),
    json: flag("--json", "Print JSON"),
  },
  conflicts: { stats: ["purge"] },
  async perform(context, options) {
    const { checkpoint } = await import("../commands/checkpoint.ts");
    return await checkpoint(context, options);
  },
});

/** `logs`. */
export const logs = declareCommand({
  name: "logs",
  description: "Show an agent's executions and missed runs, or the service's log",
  examples: [
    ["inkling logs daily", "the last ten executions"],
    ["inkling logs -e 12", "the messages of execution 12"],
    ["inkling logs -f", "follow the service's own log"],
  ],
  arguments: { agent: optional("The agent's id; not needed with -e or -f", AGENT) },
  options: {
    last: option(
      "-n, --last <count>",
      "How many executions, messages or lines (default: 10)",
      COUNT,
    ),
    execution: option("-e, --execution <id>", "Show the messages of this execution", EXECUTION),
    follow: flag("-f, --follow", "Follow the service's log"),
    json: flag("--json", "Print JSON"),
  },
  conflicts: { follow: ["execution", "json"] },
  async perform(context, options, { agent }) {
    const { logs } = await import("../commands/logs.ts");
    return await logs(context, agent, options);
  },
});
