// Compares the requests to the model with the recorded ones: messages, tools and settings.
import type { Message } from "../models/message.ts";
import type { ModelRequest } from "../models/model.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { CallSettings, CallTerms, DeclaredTool } from "../executions/record/call_terms.ts";
import type { RecordedMessage } from "../executions/record/conversation.ts";
import { messagesOf, type RecordedRun } from "../executions/record/recorded_run.ts";
import type { Difference } from "./difference.ts";
import type { RequestCheck } from "./played_model.ts";

/** The settings of the current agent that requests do not contain. */
export interface TodaySettings extends Pick<CallSettings, "customTools" | "mcp"> {
  /** The model and its fallbacks, as `provider/name`. */
  models: readonly string[];
}

/** Returns a function that compares a request to the model with the recorded one, except the first `copied` requests. */
export function createRequestCheck(
  run: RecordedRun,
  options: { copied: number; today: TodaySettings; redactor: Redactor },
): RequestCheck {
  return (request, call) => {
    if (call <= options.copied) return [];
    const end = positionOf(run, call);
    const before = run.messages.filter(({ position }) => position < end);
    const terms = termsOf(run, call);
    return [
      ...compareMessages(withPromptOf(run, before, call), request.messages, options.redactor),
      ...terms === undefined ? [] : [
        ...compareTools(terms.tools, request.tools),
        ...compareSettings(terms.settings, {
          ...options.today,
          model: modelOf(options.today, terms.settings),
          temperature: request.temperature ?? null,
          maxTokens: request.maxTokens,
        }),
      ],
    ].map((difference) => ({ ...difference, call }));
  };
}

/** Returns the recorded model if the agent has it among its models. Returns the agent's first model otherwise. */
function modelOf({ models }: TodaySettings, { model }: CallSettings): string {
  return models.includes(model) ? model : models[0] ?? "";
}

/** Returns the position of the reply to a model call, the first of which is 1. Infinity for a call without a reply. */
function positionOf({ messages }: RecordedRun, call: number): number {
  const replies = messages.filter(({ message, seeded }) => message.role === "assistant" && !seeded);
  return replies[call - 1]?.position ?? Infinity;
}

/** Returns the settings and tools of a model call, the first of which is 1. */
export function termsOf(run: RecordedRun, call: number): CallTerms | undefined {
  const end = positionOf(run, call);
  return run.terms.get(end) ?? lastTerms(run.terms, end);
}

/** Returns the settings and tools of the last model call before the position `end`. Used for a call without a reply. */
function lastTerms(terms: ReadonlyMap<number, CallTerms>, end: number): CallTerms | undefined {
  return [...terms].filter(([position]) => position < end).at(-1)?.[1];
}

/** Returns the messages with the prompt from the log, which is redacted, if the stored prompt is a later one. */
function withPromptOf(
  { frames }: RecordedRun,
  before: readonly RecordedMessage[],
  call: number,
): Message[] {
  const events = frames.map(({ payload }) => JSON.parse(payload));
  const isPrompt = ({ event_type: type }: { event_type: string }) => type === "system";
  const isReply = ({ event_type: type }: { event_type: string }) =>
    type === "ai" || type === "tool_call";
  const repliesAt = events.flatMap((one, index) => isReply(one) ? [index] : []);
  const until = repliesAt[call - 1] ?? events.length;
  const messages = messagesOf(before);
  if (events.slice(until).findIndex(isPrompt) < 0) return messages;
  const logged = events.slice(0, until).findLast(isPrompt);
  const [system, ...rest] = messages;
  if (logged === undefined || system?.role !== "system") return messages;
  return [{ ...system, content: String(logged["content"] ?? logged["message"]) }, ...rest];
}

type Found = Omit<Difference, "call">;

function compareMessages(
  recorded: readonly Message[],
  today: readonly Message[],
  redactor: Redactor,
): Found[] {
  const length = Math.max(recorded.length, today.length);
  for (let index = 0; index < length; index++) {
    const [before, now] = [recorded[index], today[index]];
    if (before !== undefined && now !== undefined && isSame(before, now, redactor)) continue;
    const told = now ?? before;
    return [{
      kind: "message",
      what: `message ${index + 1} (${told === undefined ? "" : nameOf(told)})`,
      recorded: before === undefined ? null : textOf(before),
      today: now === undefined ? null : textOf(now),
    }];
  }
  return [];
}

function isSame(one: Message, other: Message, redactor: Redactor): boolean {
  if (JSON.stringify(one) === JSON.stringify(other)) return true;
  // The recorded text comes from the log and is redacted, so the current text is compared after redaction.
  return one.role === "system" && other.role === "system" &&
    one.content === redactor.redact(other.content);
}

function nameOf(message: Message): string {
  switch (message.role) {
    case "system":
      return "the prompt";
    case "user":
      return message.injected ? "instructions" : "the user's turn";
    case "assistant":
      return "a reply";
    case "tool":
      return `the result of ${message.toolName}`;
    default:
      return message satisfies never;
  }
}

function textOf(message: Message): string {
  if (message.role !== "assistant" || message.toolCalls.length === 0) return message.content;
  return [
    message.content,
    ...message.toolCalls.map(({ name, arguments: args }) => `${name} ${args}`),
  ].join("\n");
}

function compareTools(
  recorded: readonly DeclaredTool[],
  today: ModelRequest["tools"],
): Found[] {
  const before = new Map(recorded.map((tool) => [tool.name, describeTool(tool)]));
  const now = new Map(today.map((tool) => [tool.name, describeTool(tool)]));
  const found = [...new Set([...before.keys(), ...now.keys()])].flatMap((name): Found[] => {
    const [one = null, other = null] = [before.get(name), now.get(name)];
    if (one === other) return [];
    return [{ kind: "tool", what: `tool ${name}`, recorded: one, today: other }];
  });
  const [order, orderNow] = [[...before.keys()].join("\n"), [...now.keys()].join("\n")];
  if (found.length > 0 || order === orderNow) return found;
  return [{ kind: "tool", what: "the order of the tools", recorded: order, today: orderNow }];
}

function describeTool({ name, description, parameters }: DeclaredTool): string {
  return JSON.stringify({ name, description, parameters }, null, 2);
}

/** Compares the settings except `history`, whose changes show in the messages. */
function compareSettings(
  recorded: CallSettings,
  today: Omit<CallSettings, "history">,
): Found[] {
  const rows: [string, unknown, unknown][] = [
    ["model", recorded.model, today.model],
    ["temperature", recorded.temperature, today.temperature],
    ["max_tokens", recorded.maxTokens, today.maxTokens],
    ["custom_tools", recorded.customTools.join(", "), today.customTools.join(", ")],
    ["mcp", recorded.mcp.join(", "), today.mcp.join(", ")],
  ];
  return rows.filter(([, before, now]) => before !== now).map(([what, before, now]) => ({
    kind: "setting",
    what,
    recorded: describeValue(before),
    today: describeValue(now),
  }));
}

function describeValue(value: unknown): string {
  return value === null || value === "" ? "none" : String(value);
}
