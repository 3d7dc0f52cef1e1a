// The user turn: what opens a run.
import { basename } from "node:path";
import type { Trigger } from "../agents/agent.ts";
import type { RunCause, WatchCause } from "../run_cause.ts";
import { fillIn } from "../../base/text/substitute.ts";
import { escapeControls } from "../../base/text/unseen_characters.ts";
import { quoteText } from "./untrusted_text.ts";

/** What the turn is made of. */
export interface UserTurnOptions {
  trigger: Trigger;
  /** Why the run began; absent: a person or a program asked for it. */
  cause?: RunCause;
  /** For a watched file: whether it is there now. */
  fileExists?: boolean;
  /** Replaces the turn. */
  message?: string;
  context?: string;
  args: readonly string[];
  /** Whether the task itself has used the arguments. */
  argumentsUsed: boolean;
}

const PLACEHOLDER = /\{(context|event|path|file|schedule)\}/g;

/** The turn: a message, else the trigger's template, else our own text; then arguments and context that nothing used. */
export function createUserTurn(options: UserTurnOptions): string {
  const { trigger, cause, message, context, args } = options;
  const template = message === undefined ? trigger.input : undefined;
  const parts = [
    message ?? (template === undefined ? defaultTurn(options) : fillTemplate(template, options)),
  ];
  if (args.length > 0 && !options.argumentsUsed) parts.push(`Arguments:\n${args.join("\n")}`);
  // Somebody sent this context, so it is added also where the template leaves it out.
  const fromSomebody = cause === undefined || cause.type === "agent";
  const isContextUsed = template !== undefined && (template.includes("{context}") || !fromSomebody);
  if (context !== undefined && context !== "" && !isContextUsed) parts.push(`Context:\n${context}`);
  return parts.join("\n\n");
}

function defaultTurn({ trigger, cause, fileExists }: UserTurnOptions): string {
  const task = "Execute your task.";
  switch (cause?.type) {
    case undefined:
      return task;
    case "schedule": {
      const schedule = describeSchedule(trigger);
      return `${task} (${schedule === undefined ? "scheduled" : `scheduled: ${schedule}`})`;
    }
    case "watch":
      return `${task}\n\n${describeChange(cause, fileExists)}`;
    case "agent":
      return `${task} (called by the agent ${quoteText(cause.agentId)})`;
  }
  return cause satisfies never;
}

/** `every 5m` or `cron 30 8 * * *`; undefined when the agent lost its schedule since. */
function describeSchedule(trigger: Trigger): string | undefined {
  if (trigger.type !== "schedule") return undefined;
  if (trigger.every !== undefined) return `every ${trigger.every}`;
  return trigger.cron === undefined ? undefined : `cron ${trigger.cron}`;
}

/** File names are somebody else's text: they are quoted. */
function describeChange({ event, path }: WatchCause, fileExists: boolean | undefined): string {
  const change = `A watched file was ${event}: ${quoteText(path)}.`;
  if (fileExists === undefined) return change;
  return `${change} ${fileExists ? "Read it first, with file_read." : "It is no longer there."}`;
}

/** One pass: what is filled in is never looked at again. A placeholder that means nothing in this run stays as written. */
function fillTemplate(template: string, options: UserTurnOptions): string {
  const values = templateValues(options);
  return fillIn(template, PLACEHOLDER, (whole, name = "") => values.get(name) ?? whole);
}

function templateValues({ trigger, cause, context }: UserTurnOptions): Map<string, string> {
  const values = new Map([["context", context ?? ""]]);
  if (cause?.type === "schedule") {
    const schedule = describeSchedule(trigger);
    if (schedule !== undefined) values.set("schedule", schedule);
  }
  if (cause?.type === "watch") {
    values.set("event", cause.event);
    // Unquoted, because the template says where they go; a line end in a name must not look like the template's own.
    values.set("path", escapeControls(cause.path));
    values.set("file", escapeControls(basename(cause.path)));
  }
  return values;
}
