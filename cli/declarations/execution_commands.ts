// Commands about executions, their questions and their records, as the command line declares them.
// They share few files, because each file that is loaded slows the start.
import type { ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import { EXECUTION_TRIGGERS } from "../../runtime/trigger_kinds.ts";
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

/** `pending`. */
export const pending = declareCommand({
  name: "pending",
  description:
    "List the executions that are waiting for an answer, or show one with all it is about",
  examples: [
    ["inkling pending", "what is waiting for you, and until when"],
    ["inkling pending 12", "what execution 12 wants to do, with the change of the file"],
    ["inkling pending --json", "the same as JSON"],
  ],
  arguments: { execution_id: optional("The execution's id; absent: all", WAITING_EXECUTION) },
  options: JSON_FLAG,
});

/** `respond`. */
export const respond = declareCommand({
  name: "respond",
  description: "Answer a waiting execution and watch it continue; without options it asks you",
  examples: [
    ["inkling respond 12", "see the question, and decide"],
    ["inkling respond 12 --yes", "allow it"],
    ["inkling respond 12 --yes --always", "and from now on, by auto_approve in the agent's file"],
    ["inkling respond 12 --yes --arguments @call.json", "allow it with other arguments"],
    ['inkling respond 12 --no --reason "Not on Fridays"', "deny it, with a reason"],
    ['inkling respond 12 --text "The blue one"', "answer a question"],
    ["inkling respond 12 --choice 2 --choice blue", "choose, by number or value"],
  ],
  arguments: { execution_id: required("The execution's id", WAITING_EXECUTION) },
  options: {
    yes: flag("--yes", "Allow it"),
    no: flag("--no", "Deny it"),
    always: flag("--always", "With --yes: the agent may call the tool unasked from now on"),
    arguments: option(
      "--arguments <json>",
      "With --yes: call the tool with these, all of them; @file reads them from a file",
      TEXT,
    ),
    reason: option("--reason <text>", "With --yes or --no: a comment for the agent", TEXT),
    text: option("--text <text>", "Answer a question with this text", TEXT),
    choice: repeatable(
      "--choice <value>",
      "Choose this, by value or by number; may be repeated",
      TEXT,
    ),
  },
});

/** `watch`. */
export const watch = declareCommand({
  name: "watch",
  description: "Follow an execution that runs or waits; Ctrl+C leaves it running, twice cancels it",
  examples: [["inkling watch 12", "show execution 12, and what it asks"]],
  arguments: { id: required("The execution's id", EXECUTION) },
  options: {
    json: flag("--json", "Print one JSON object for each event"),
  },
});

/** `cancel`. */
export const cancel = declareCommand({
  name: "cancel",
  description: "Cancel executions that run or wait",
  examples: [
    ["inkling cancel 12", "end execution 12"],
    ["inkling cancel 12 13", "end both"],
    ["inkling cancel", "pick from what runs or waits"],
  ],
  arguments: { ids: rest("The executions' ids; absent: asks which", EXECUTION) },
  options: JSON_FLAG,
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
  options: {
    stats: flag("--stats", "Show what is stored (the default)"),
    purge: flag("--purge", "Remove all but the newest of each agent and the waiting ones"),
    agent: option("--agent <id>", "Only this agent's conversations", AGENT),
    force: flag(
      "--force",
      "With --purge: also remove the newest and the waiting ones; waiting runs are ended",
    ),
    ...JSON_FLAG,
  },
  conflicts: { stats: ["purge"] },
});

/** `recap`. */
export const recap = declareCommand({
  name: "recap",
  description:
    "Show what happened since you last looked: runs, failures, cost, what waits and what did not run",
  examples: [
    ["inkling recap", "since the last recap, at most 7 days"],
    ["inkling recap --since 22:00", "since ten in the evening"],
    [
      "inkling recap --since 1h --check",
      "for monitoring: exit code 1 if something failed or waits",
    ],
  ],
  options: {
    since: option("--since <moment>", `Since when: ${MOMENT_FORMS}`, TEXT),
    check: flag("--check", "Exit with 1 when something failed or waits"),
    ...JSON_FLAG,
  },
});

/** `replay`. */
export const replay = declareCommand({
  name: "replay",
  description: "Play an execution again, offline: would its agent of today go the same way?",
  examples: [
    ["inkling replay 12", "the first place that differs, or identical; nothing is called"],
    ["inkling replay 12 --json", "the same as JSON; exit code 1 if something differs"],
  ],
  arguments: { id: required("The execution's id", EXECUTION) },
  options: {
    tools: flag("--tools", "Start custom tools and MCP servers to see what they declare now"),
    ...JSON_FLAG,
  },
});

/** `fork`. */
export const fork = declareCommand({
  name: "fork",
  description: "Go on from a step of an execution as a new one; no call before it is made again",
  examples: [
    ["inkling fork 12", "ask the model once more for its last step"],
    ['inkling fork 12 --at 2 --message "Shorter"', "say something behind step 2"],
    ["inkling fork 12 --model ollama/qwen3", "what another model makes of it"],
    ["inkling fork 12 --at 0 --agent-file draft.md", "from its beginning, by another agent file"],
  ],
  arguments: { id: required("The execution's id", EXECUTION) },
  options: {
    at: option(
      "--at <step>",
      "How many steps to take over, as logs -e counts; 0: none (default: the most)",
      STEP,
    ),
    message: option("--message <text>", "Say this there; at step 0 instead of what was said", TEXT),
    model: option("--model <provider/name>", "Use this model from there on", TEXT),
    agentFile: option("--agent-file <path>", "Use this agent file from there on", FILE),
    followers: flag("--followers", "When it ends, start the agents that run after this one"),
    detach: flag("-d, --detach", "Return as soon as the run is accepted"),
    json: flag("--json", "Print the run's frames, one JSON object per line"),
  },
});

/** `diff`. */
export const diff = declareCommand({
  name: "diff",
  description: "Compare two executions: prompts, calls, answers, cost",
  examples: [["inkling diff 12 15", "what differs, step by step; exit code 1 if something does"]],
  arguments: {
    id: required("The first execution's id", EXECUTION),
    other: required("The other's", EXECUTION),
  },
  options: JSON_FLAG,
});

/** `logs`. */
export const logs = declareCommand({
  name: "logs",
  description: "Show executions and missed runs, or the service's log",
  examples: [
    ["inkling logs", "the last ten executions of all agents"],
    ["inkling logs daily", "those of one agent"],
    ["inkling logs --since 22:00 --status error", "what failed in the night"],
    ["inkling logs --search invoice", "where this text was said, or read by a tool"],
    ["inkling logs -e 12", "the messages of execution 12"],
    ["inkling logs -f", "follow the service's own log"],
    ["inkling logs -e 12 -f", "follow execution 12"],
  ],
  arguments: { agent: optional("The agent's id; absent: all agents", AGENT) },
  options: {
    last: option(
      "-n, --last <count>",
      "How many executions, messages or lines (default: 10)",
      COUNT,
    ),
    since: option("--since <moment>", `Only executions that began since: ${MOMENT_FORMS}`, TEXT),
    until: option("--until <moment>", "Only executions that began before", TEXT),
    status: option(
      "--status <status>",
      "Only executions with this status",
      oneOf(STATUSES, STATUS_ALIASES),
    ),
    trigger: option(
      "--trigger <kind>",
      "Only executions that this began",
      oneOf(EXECUTION_TRIGGERS),
    ),
    search: option("--search <text>", "Only executions with this text, 3 characters or more", TEXT),
    execution: option("-e, --execution <id>", "Show the messages of this execution", EXECUTION),
    follow: flag("-f, --follow", "Follow the service's log, or with -e the execution"),
    ...JSON_FLAG,
  },
  conflicts: {
    execution: ["since", "until", "status", "trigger", "search"],
    follow: ["since", "until", "status", "trigger", "search"],
  },
});
