// The user turn: what opens a run.
import { basename } from "node:path";
import type { Trigger } from "../agents/agent.ts";
import type { AfterCause, RunCause, WatchCause, WebhookCause } from "../run_cause.ts";
import { fillIn } from "../../base/text/substitute.ts";
import { escapeControls } from "../../base/text/unseen_characters.ts";
import { isDeeperThan, isWholeJson, type JsonValue } from "../../base/json.ts";
import { valueAt } from "../../base/json_pointer.ts";
import { quoteText, toPromptText, toUntrustedBlock, UNTRUSTED_NOTE } from "./untrusted_text.ts";

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

const PLACEHOLDER =
  /\{(context|event|path|file|schedule|body|header\.[A-Za-z0-9-]+|field:\/[^{}]*)\}/g;

/** A part of a JSON value that is deeper is left out. */
const MAX_DEPTH = 100;

/** The turn: a message, else the trigger's template, else our own text; then arguments and context that nothing used. */
export function createUserTurn(options: UserTurnOptions): string {
  const { trigger, cause, message, context, args } = options;
  const template = message === undefined ? trigger.input : undefined;
  const parts = [
    message ?? (template === undefined ? defaultTurn(options) : fillTemplate(template, options)),
  ];
  if (args.length > 0 && !options.argumentsUsed) parts.push(`Arguments:\n${args.join("\n")}`);
  // Somebody sent this context, so it is added also where the template leaves it out.
  const fromSomebody = cause === undefined || cause.type === "agent" || cause.type === "after";
  const isContextUsed = template !== undefined &&
    (/\{context\}/.test(template) || !fromSomebody ||
      cause?.type === "after" && template.includes("{field:/"));
  if (context !== undefined && context !== "" && !isContextUsed) {
    parts.push(`Context:\n${cause?.type === "after" ? toUntrustedBlock(context) : context}`);
  }
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
    case "webhook":
      return `${task}\n\n${describeDelivery(cause)}`;
    case "after":
      return `${task} ${describeEnd(cause)}`;
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

function describeEnd({ agentId, status, error }: AfterCause): string {
  const end = `(after the agent ${quoteText(agentId)}, which ended with ${status})`;
  return error === null ? end : `${end}\n\nIts error: ${quoteText(error)}`;
}

function describeDelivery({ event, body }: WebhookCause): string {
  const what = event === null ? "" : `, the event ${quoteText(event)}`;
  return `A delivery has come${what}.` + (body === "" ? "" : `\n\n${toUntrustedBlock(body)}`);
}

/** One pass: what is filled in is never looked at again. A placeholder that means nothing in this run stays as written. */
function fillTemplate(template: string, options: UserTurnOptions): string {
  const values = templateValues(options);
  const { cause, context = "" } = options;
  const sent = cause?.type === "webhook"
    ? valuesOfDelivery(cause)
    : cause?.type === "after"
    ? valuesOfEnd(cause, context)
    : undefined;
  let isSent = false;
  const text = fillIn(template, PLACEHOLDER, (whole, name = "") => {
    const value = sent?.(name);
    isSent ||= value !== undefined && value !== "";
    return value ?? values.get(name) ?? whole;
  });
  return isSent ? `${text}\n\n${UNTRUSTED_NOTE}` : text;
}

/** What stands in a delivery under a placeholder's name; empty where that is not in it, undefined for any other name. */
function valuesOfDelivery(
  { event, headers, body }: WebhookCause,
): (name: string) => string | undefined {
  const value: JsonValue = isWholeJson(body)
    ? JSON.parse(body)
    : Object.fromEntries(new URLSearchParams(body));
  return (name) => {
    if (name === "event") return toPromptText(event ?? "");
    if (name === "body") return toPromptText(body);
    const [, header] = /^header\.(.*)$/.exec(name) ?? [];
    if (header !== undefined) return toPromptText(headers[header] ?? "");
    const [, pointer] = /^field:(.*)$/s.exec(name) ?? [];
    return pointer === undefined ? undefined : textAt(value, pointer);
  };
}

/** The same for what the agent before has answered. */
function valuesOfEnd(
  { status }: AfterCause,
  context: string,
): (name: string) => string | undefined {
  const value: JsonValue = isWholeJson(context) ? JSON.parse(context) : null;
  return (name) => {
    if (name === "context") return toPromptText(context);
    if (name === "event") return status;
    const [, pointer] = /^field:(.*)$/s.exec(name) ?? [];
    return pointer === undefined ? undefined : textAt(value, pointer);
  };
}

/** A text as it is, anything else as JSON. */
function textAt(value: JsonValue, pointer: string): string {
  const found = valueAt(value, pointer) ?? "";
  if (typeof found === "string") return toPromptText(found);
  // To write what is deeper would need more stack than there may be.
  return isDeeperThan(found, MAX_DEPTH) ? "" : toPromptText(JSON.stringify(found));
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
