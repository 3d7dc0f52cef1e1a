// The user turn: the first user message of a run.
import { basename } from "node:path";
import type { Trigger } from "../agents/agent.ts";
import type { AfterCause, RunCause, WatchCause, WebhookCause } from "../vocabulary/run_cause.ts";
import { fillIn } from "../../base/text/substitute.ts";
import { escapeControls } from "../../base/text/unseen_characters.ts";
import { isDeeperThan, isWholeJson, type JsonValue } from "../../base/json.ts";
import { valueAt } from "../../base/json_pointer.ts";
import { quoteText, toPromptText, toUntrustedBlock, UNTRUSTED_NOTE } from "./untrusted_text.ts";

export interface UserTurnOptions {
  trigger: Trigger;
  /** The cause of the run; absent: a person or a program requested it. */
  cause?: RunCause;
  /** True: the watched file exists now. */
  fileExists?: boolean;
  /** Replaces the default turn and the template. */
  message?: string;
  context?: string;
  args: readonly string[];
  /** True: the task already contains the arguments. */
  argumentsUsed: boolean;
}

const PLACEHOLDER =
  /\{(context|event|path|file|schedule|body|header\.[A-Za-z0-9-]+|field:\/[^{}]*)\}/g;

/** Nesting limit of a JSON value that a placeholder inserts. */
const MAX_DEPTH = 100;

/**
 * Creates the turn: the message, else the trigger's template, else the default. Appends arguments and context that
 * neither the task nor the template uses.
 */
export function createUserTurn(options: UserTurnOptions): string {
  const { trigger, cause, message, context, args } = options;
  const template = message === undefined ? trigger.input : undefined;
  const parts = [
    message ?? (template === undefined ? defaultTurn(options) : fillTemplate(template, options)),
  ];
  if (args.length > 0 && !options.argumentsUsed) parts.push(`Arguments:\n${args.join("\n")}`);
  // A person, program or agent sent this context, so it is appended if the template omits it.
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

/** Returns `every 5m` or `cron 30 8 * * *`; undefined if the agent no longer has a schedule. */
function describeSchedule(trigger: Trigger): string | undefined {
  if (trigger.type !== "schedule") return undefined;
  if (trigger.every !== undefined) return `every ${trigger.every}`;
  return trigger.cron === undefined ? undefined : `cron ${trigger.cron}`;
}

/** File names are untrusted text, so they are quoted. */
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
  const named = event === null ? "" : `, the event ${quoteText(event)}`;
  return `A webhook delivery arrived${named}.` +
    (body === "" ? "" : `\n\n${toUntrustedBlock(body)}`);
}

/**
 * Fills the template in one pass: inserted values are not scanned for placeholders. Placeholders without a value stay as
 * written.
 */
function fillTemplate(template: string, options: UserTurnOptions): string {
  const values = templateValues(options);
  const { cause, context = "" } = options;
  const sent = cause?.type === "webhook"
    ? deliveryValues(cause)
    : cause?.type === "after"
    ? followedAnswerValues(cause, context)
    : undefined;
  let isSent = false;
  const text = fillIn(template, PLACEHOLDER, (whole, name = "") => {
    const value = sent?.(name);
    isSent ||= value !== undefined && value !== "";
    return value ?? values.get(name) ?? whole;
  });
  return isSent ? `${text}\n\n${UNTRUSTED_NOTE}` : text;
}

/** Returns a lookup of placeholders in a webhook delivery: "" for a missing part, undefined for any other name. */
function deliveryValues(
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

/** Returns a lookup of placeholders in the answer of the agent that this one follows. */
function followedAnswerValues(
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

/** Returns the value at a pointer: a string as it is, any other value as JSON. */
function textAt(value: JsonValue, pointer: string): string {
  const found = valueAt(value, pointer) ?? "";
  if (typeof found === "string") return toPromptText(found);
  // JSON.stringify() of a deeper value could overflow the stack.
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
    // Not quoted, because the template decides their place. Line ends are escaped: a file name must not add lines to the
    // template.
    values.set("path", escapeControls(cause.path));
    values.set("file", escapeControls(basename(cause.path)));
  }
  return values;
}
