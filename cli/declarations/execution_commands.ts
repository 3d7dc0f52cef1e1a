// Declares the commands about executions, their questions and their history.
// One file contains many declarations, because each imported file slows down the start of every command.
import type { ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import { AUDIT_ACTION_NAMES } from "../../runtime/vocabulary/audit_actions.ts";
import { EXECUTION_TRIGGERS } from "../../runtime/vocabulary/trigger_kinds.ts";
import { optional, required, rest } from "../command_line/argument.ts";
import { declareCommand } from "../command_line/command.ts";
import { flag, JSON_FLAG, option, repeatable } from "../command_line/option.ts";
import {
  AGENT,
  COUNT,
  EXECUTION,
  FILE,
  MOMENT_FORMS,
  oneOf,
  STEP,
  TEXT,
  WAITING_EXECUTION,
} from "../command_line/value_type.ts";

const STATUSES = [
  "running",
  "waiting",
  "success",
  "error",
  "aborted",
  "timeout",
  "orphaned",
] as const satisfies ExecutionSummary["status"][];
const STATUS_ALIASES = { failed: "error", cancelled: "aborted" } as const;

/** The declaration of `inkling pending`. */
export const pending = declareCommand({
  name: "pending",
  description: "List the questions that wait for an answer, or show one in full",
  examples: [
    ["inkling pending", "every question that waits for you, and when it expires"],
    [
      "inkling pending 12",
      "the question of execution 12, with the file changes that it asks about",
    ],
    ["inkling pending --json", "the same as JSON"],
  ],
  arguments: { execution_id: optional("The execution's id (default: all)", WAITING_EXECUTION) },
  options: JSON_FLAG,
});

/** The declaration of `inkling respond`. */
export const respond = declareCommand({
  name: "respond",
  description:
    "Answer an execution's question and follow the run; without options, ask for the answer",
  examples: [
    ["inkling respond 12", "show the question and ask for your answer"],
    ["inkling respond 12 --yes", "allow the tool call"],
    [
      "inkling respond 12 --yes --always",
      "allow it, and add the tool to auto_approve (a command: to shell.allow) in the agent's file",
    ],
    ["inkling respond 12 --yes --arguments @call.json", "allow it with other arguments"],
    ['inkling respond 12 --no --reason "Not on Fridays"', "deny it, with a reason"],
    ['inkling respond 12 --text "The blue one"', "answer with a text"],
    ["inkling respond 12 --choice 2 --choice blue", "choose options by number or value"],
  ],
  arguments: { execution_id: required("The execution's id", WAITING_EXECUTION) },
  options: {
    yes: flag("--yes", "Allow the tool call"),
    no: flag("--no", "Deny the tool call"),
    always: flag(
      "--always",
      "With --yes: add the tool to auto_approve (a command: to shell.allow) in the agent's file, so that it no longer asks",
    ),
    arguments: option(
      "--arguments <json>",
      "With --yes: replace the call's arguments; @file reads them from a file",
    ),
    reason: option("--reason <text>", "With --yes or --no: a comment for the agent"),
    text: option("--text <text>", "Answer with this text"),
    choice: repeatable(
      "--choice <value>",
      "Choose this option, by value or number; may be repeated",
      TEXT,
    ),
  },
});

/** The declaration of `inkling watch`. */
export const watch = declareCommand({
  name: "watch",
  description:
    "Follow a running or waiting execution; Ctrl+C stops watching, a second Ctrl+C cancels it",
  examples: [["inkling watch 12", "follow execution 12 and answer its questions"]],
  arguments: { id: required("The execution's id", EXECUTION) },
  options: {
    json: flag("--json", "Print one JSON object for each event"),
  },
});

/** The declaration of `inkling cancel`. */
export const cancel = declareCommand({
  name: "cancel",
  description: "Cancel running or waiting executions",
  examples: [
    ["inkling cancel 12", "cancel execution 12"],
    ["inkling cancel 12 13", "cancel executions 12 and 13"],
    ["inkling cancel", "pick from the running and waiting executions"],
  ],
  arguments: { ids: rest("The executions' ids (default: pick from a list)", EXECUTION) },
  options: JSON_FLAG,
});

/** The declaration of `inkling wake`. */
export const wake = declareCommand({
  name: "wake",
  description: "End the rest of an execution early, so that it continues now",
  examples: [["inkling wake 12", "let execution 12 continue"]],
  arguments: { id: required("The execution's id", EXECUTION) },
  options: JSON_FLAG,
});

/** The declaration of `inkling checkpoint`. */
export const checkpoint = declareCommand({
  name: "checkpoint",
  description: "Show or remove stored conversations",
  examples: [
    ["inkling checkpoint", "the number and size of each agent's conversations"],
    ["inkling checkpoint --purge", "keep only the newest and the waiting conversations"],
    ["inkling checkpoint --purge --agent daily --force", "remove all conversations of one agent"],
  ],
  options: {
    stats: flag("--stats", "Show the stored conversations (the default)"),
    purge: flag(
      "--purge",
      "Remove all conversations but each agent's newest and those of waiting executions",
    ),
    agent: option("--agent <id>", "Only this agent's conversations", AGENT),
    force: flag(
      "--force",
      "With --purge: remove also the newest conversations, and cancel the waiting executions",
    ),
    ...JSON_FLAG,
  },
  conflicts: { stats: ["purge"] },
});

/** The declaration of `inkling recap`. */
export const recap = declareCommand({
  name: "recap",
  description:
    "Summarize the time since your last recap: runs, failures, cost, open questions, missed runs",
  examples: [
    ["inkling recap", "since the last recap, 7 days at most"],
    ["inkling recap --since 22:00", "since 22:00"],
    [
      "inkling recap --since 1h --check",
      "for monitoring: exit code 1 if an execution failed or waits for an answer",
    ],
  ],
  options: {
    since: option("--since <moment>", `The start of the summary: ${MOMENT_FORMS}`),
    check: flag("--check", "Exit with code 1 if an execution failed or waits for an answer"),
    ...JSON_FLAG,
  },
});

/** The declaration of `inkling audit`. */
export const audit = declareCommand({
  name: "audit",
  description: "Show who changed what: runs, answers, budgets, files, keys, with time and address",
  examples: [
    ["inkling audit daily --since 1d", "the changes that concern one agent, of the last day"],
    ["inkling audit --json > audit.jsonl", "export all records, one JSON object per line"],
  ],
  arguments: { agent: optional("The agent's id (default: all changes)", AGENT) },
  options: {
    last: option("-n, --last <count>", "The number of records (default: 20; --json: all)", COUNT),
    since: option("--since <moment>", `Only changes since this moment: ${MOMENT_FORMS}`),
    until: option("--until <moment>", "Only changes before this moment"),
    by: option("--by <name>", "Only changes of this person or key"),
    action: option("--action <action>", "Only this kind of change", oneOf(AUDIT_ACTION_NAMES)),
    via: option("--via <channel>", "Only changes over this channel"),
    execution: option("-e, --execution <id>", "Only changes of this execution", EXECUTION),
    json: flag("--json", "Print every matching record, one JSON object per line"),
  },
});

/** The declaration of `inkling replay`. */
export const replay = declareCommand({
  name: "replay",
  description:
    "Replay an execution offline with the agent's current file, and show the first difference",
  examples: [
    ["inkling replay 12", "show the first difference; calls no model and no tool"],
    ["inkling replay 12 --json", "the same as JSON; exit code 1 if there is a difference"],
  ],
  arguments: { id: required("The execution's id", EXECUTION) },
  options: {
    tools: flag("--tools", "Start custom tools and MCP servers to compare their declarations"),
    ...JSON_FLAG,
  },
});

/** The declaration of `inkling fork`. */
export const fork = declareCommand({
  name: "fork",
  description:
    "Start a new execution from a step of another one, without repeating the calls before it",
  examples: [
    ["inkling fork 12", "repeat the last step"],
    ['inkling fork 12 --at 2 --message "Shorter"', "add a message after step 2"],
    ["inkling fork 12 --model ollama/qwen3", "repeat the last step with another model"],
    ["inkling fork 12 --at 0 --agent-file draft.md", "restart it with another agent file"],
  ],
  arguments: { id: required("The execution's id", EXECUTION) },
  options: {
    at: option(
      "--at <step>",
      'Keep the steps up to this one of "inkling logs -e" ' +
        "(default: all before the answer; with --message all; 0: none)",
      STEP,
    ),
    message: option(
      "--message <text>",
      "Add this user message after the step; with --at 0 it replaces the first message",
    ),
    model: option("--model <provider/name>", "Continue with this model"),
    agentFile: option("--agent-file <path>", "Continue with this agent file", FILE),
    followers: flag("--followers", "At the end, start the agents that run after this one"),
    detach: flag("-d, --detach", "Return as soon as the run is accepted"),
    json: flag("--json", "Print the run's frames, one JSON object per line"),
  },
});

/** The declaration of `inkling diff`. */
export const diff = declareCommand({
  name: "diff",
  description: "Compare two executions: prompts, calls, answers, cost",
  examples: [[
    "inkling diff 12 15",
    "show the differences step by step; exit code 1 if there are any",
  ]],
  arguments: {
    id: required("The first execution's id", EXECUTION),
    other: required("The second execution's id", EXECUTION),
  },
  options: JSON_FLAG,
});

/** The declaration of `inkling logs`. */
export const logs = declareCommand({
  name: "logs",
  description: "Show executions and missed runs, or the service's log",
  examples: [
    ["inkling logs", "the last ten executions of all agents"],
    ["inkling logs daily", "the last ten executions of one agent"],
    ["inkling logs --since 22:00 --status error", "the executions that failed since 22:00"],
    ["inkling logs --search invoice", "the executions whose messages contain this text"],
    ["inkling logs -e 12", "the messages of execution 12"],
    ["inkling logs -f", "follow the service's log"],
    ["inkling logs -e 12 -f", "follow execution 12"],
  ],
  arguments: { agent: optional("The agent's id (default: all agents)", AGENT) },
  options: {
    last: option(
      "-n, --last <count>",
      "The number of executions, messages or lines to show (default: 10)",
      COUNT,
    ),
    since: option("--since <moment>", `Only executions started since this moment: ${MOMENT_FORMS}`),
    until: option("--until <moment>", "Only executions started before this moment"),
    status: option(
      "--status <status>",
      "Only executions with this status",
      oneOf(STATUSES, STATUS_ALIASES),
    ),
    trigger: option(
      "--trigger <kind>",
      "Only executions started by this trigger",
      oneOf(EXECUTION_TRIGGERS),
    ),
    search: option(
      "--search <text>",
      "Only executions whose messages contain this text (at least 3 characters)",
    ),
    execution: option("-e, --execution <id>", "Show the messages of this execution", EXECUTION),
    follow: flag("-f, --follow", "Follow the service's log, or with -e the execution"),
    ...JSON_FLAG,
  },
  conflicts: {
    execution: ["since", "until", "status", "trigger", "search"],
    follow: ["since", "until", "status", "trigger", "search"],
  },
});
