// Formats the user turn, which is the first user message of a run.
import { basename } from "../../base/plain_path.ts";
import type { Trigger } from "../agents/agent.ts";
import type { AfterCause, RunCause, WatchCause, WebhookCause } from "../vocabulary/run_cause.ts";
import { fillIn } from "../../base/text/substitute.ts";
import { escapeControls } from "../../base/text/unseen_characters.ts";
import { isDeeperThan, isWholeJson, type JsonValue } from "../../base/json.ts";
import { valueAt } from "../../base/text/json_pointer.ts";
import {
  describeEvent,
  quoteText,
  toPromptText,
  toUntrustedBlock,
  UNTRUSTED_NOTE,
} from "../vocabulary/untrusted_text.ts";

export interface UserTurnOptions {
  trigger: Trigger;
  /** The cause of the run. Undefined if a person or a program requested the run. */
  cause?: RunCause;
  /** True if the watched file exists now. Undefined if that is not known. */
  fileExists?: boolean;
  /** The text that replaces the default turn and the template. */
  message?: string;
  context?: string;
  args: readonly string[];
  /** True if the task contains the arguments already. */
  argumentsUsed: boolean;
}

const PLACEHOLDER = /\{([a-z_]+|header\.[A-Za-z0-9-]+|field:\/[^{}]*)\}/g;

/** The maximum nesting depth of a JSON value that replaces a placeholder. */
const MAX_DEPTH = 100;

/**
 * Returns the user turn. It consists of `message`, else the trigger's template, else the default text. Appends the
 * arguments and the context unless the task or the template contains them.
 */
export function createUserTurn(options: UserTurnOptions): string {
  const { trigger, cause, message, context, args } = options;
  const template = message === undefined ? trigger.input : undefined;
  const parts = [
    message ?? (template === undefined ? defaultTurn(options) : fillTemplate(template, options)),
  ];
  if (args.length > 0 && !options.argumentsUsed) parts.push(`Arguments:\n${args.join("\n")}`);
  // Context from a person, program or agent is appended if the template does not contain it.
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
  if (cause === undefined) return task;
  switch (cause.type) {
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
    default:
      return `${task}\n\n${describeEvent(cause)}`;
  }
}

/**
 * Returns the agent's schedule, such as `every 5m` or `cron 30 8 * * *`. Returns undefined if the agent no longer has a
 * schedule.
 */
function describeSchedule(trigger: Trigger): string | undefined {
  if (trigger.type !== "schedule") return undefined;
  if (trigger.every !== undefined) return `every ${trigger.every}`;
  return trigger.cron === undefined ? undefined : `cron ${trigger.cron}`;
}

/** Returns a sentence about the changed file. Its name is untrusted text, so it is quoted. */
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
 * Returns the template with its placeholders replaced, in one pass: placeholders in inserted values are not replaced.
 * Placeholders without a value stay as written.
 */
function fillTemplate(template: string, options: UserTurnOptions): string {
  const values = templateValues(options);
  const sent = sentValues(options);
  let isSent = false;
  const text = fillIn(template, PLACEHOLDER, (whole, name = "") => {
    const value = sent(name);
    isSent ||= value !== undefined && value !== "";
    return value ?? values.get(name) ?? whole;
  });
  return isSent ? `${text}\n\n${UNTRUSTED_NOTE}` : text;
}

/**
 * Returns a function that returns the value of a placeholder from a webhook delivery, an event, or the answer of the agent
 * that this run follows. It returns "" for a part that the delivery does not have, and undefined for other placeholders.
 */
function sentValues(
  { cause, context = "" }: UserTurnOptions,
): (name: string) => string | undefined {
  const jsonIn = (text = ""): JsonValue => isWholeJson(text) ? JSON.parse(text) : null;
  const find =
    (content: JsonValue, valueOf: (name: string) => string | undefined) => (name: string) => {
      const [, pointer] = /^field:(.*)$/s.exec(name) ?? [];
      if (pointer !== undefined) return textAt(content, pointer);
      const value = valueOf(name);
      return value === undefined ? undefined : toPromptText(value);
    };
  if (cause?.type === "webhook") {
    const { event, headers, body } = cause;
    const values = new Map([["event", event ?? ""], ["body", body]]);
    const content = jsonIn(body) ?? Object.fromEntries(new URLSearchParams(body));
    return find(content, (name) => {
      const [, header] = /^header\.(.*)$/.exec(name) ?? [];
      return header === undefined ? values.get(name) : headers[header] ?? "";
    });
  }
  if (cause?.type === "after") {
    const values = new Map<string, string>([["context", context], ["event", cause.status]]);
    return find(jsonIn(context), (name) => values.get(name));
  }
  if (cause === undefined || !("values" in cause)) return () => undefined;
  const values = new Map(Object.entries(cause.values));
  return find(jsonIn(values.get("new")), (name) => values.get(name));
}

/**
 * Returns the value at a JSON pointer as text: a string unchanged, any other value as JSON. Returns "" if there is none.
 */
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
    // The values are not quoted, because the template may put them anywhere. Line breaks are escaped, so that a file name
    // cannot add lines to the template.
    values.set("path", escapeControls(cause.path));
    values.set("file", escapeControls(basename(cause.path)));
  }
  return values;
}
