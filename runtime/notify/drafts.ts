// Creates the messages about an event, and selects their channels. The functions have no side effects.
import { cutEnd } from "../../base/text/cut_text.ts";
import { toPlainLine, toPlainText } from "../../base/text/plain_text.ts";
import type { ChatSettings } from "../config/chat_schema.ts";
import type { Config } from "../config/config.ts";
import type { Context } from "../config/context.ts";
import type { NotifyChoice, NotifyKind } from "../config/notify_schema.ts";
import type { Execution } from "../executions/execution.ts";
import type { HumanRequest } from "../executions/human_request.ts";
import { findApprover, REMINDER_MS } from "../vocabulary/approval_rule.ts";
import { SIGN_IN } from "../vocabulary/tool_vocabulary.ts";
import { type Person, toMailCaller } from "../vocabulary/persons.ts";
import type { Slot } from "../triggers/schedule/slot_store.ts";
import type { OutgoingMessage } from "./channels/channel.ts";
import { kindOfEnd, type NotableEvent } from "./notable_event.ts";
import { ownValue } from "../../base/json.ts";

/** A message to one channel that is not stored yet. */
export interface MessageDraft
  extends Pick<OutgoingMessage, "agentId" | "executionId" | "requestId" | "title" | "text"> {
  channel: string;
  kind: NotifyKind;
  /** True if similar messages within an hour are counted and sent as one message. */
  isFoldable: boolean;
  /** The milliseconds after which the message is sent. Absent: at once. */
  delayMs?: number;
}

/** The objects that the messages of a runtime need. */
export interface NotifyPorts extends Pick<Context, "clock" | "log" | "redactor" | "timeZone"> {
  settings: { readonly config: Pick<Config, "notify" | "people" | "publicUrl"> };
  /** Returns the names and notification settings of the agents that exist. */
  registry: { get(id: string): { displayName: string; notify: NotifyChoice } | undefined };
  /** Returns a time as text for people. `ms` is in milliseconds since 1970. */
  showTime: (ms: number) => string;
}

const MAX_TITLE = 200;
/** The maximum length of a text in UTF-16 code units. Only mails may be longer. */
const MAX_TEXT = 4_000;
const MAX_MAIL_TEXT = 100_000;
/** The maximum length of a call's arguments of which a mail shows every character. */
const MAX_ARGUMENTS = 90_000;
const MAX_VALUE = 200;
const MOST_VALUES = 8;

type DraftContent = Omit<MessageDraft, "channel"> & {
  /** The text of a mail, whose reply may approve the call. It has the whole arguments. */
  mailText?: string;
};

/** Returns the messages about an event: one for each channel that receives it. */
export function draftMessages(event: NotableEvent, ports: NotifyPorts): MessageDraft[] {
  const { notify: settings, people } = ports.settings.config;
  // Most workspaces have no channels, so this case comes before any other work.
  if (Object.keys(settings.channels).length === 0) return [];
  const drafted = draftContent(event, ports);
  if (drafted === undefined) return [];
  const { mailText, ...content } = drafted;
  const choice = content.agentId === null ? undefined : ports.registry.get(content.agentId)?.notify;
  // Each setting of the agent replaces the same setting in config.yaml.
  if (!(choice?.on ?? settings.on).includes(content.kind)) return [];
  const names = choice?.to ?? settings.to ?? Object.keys(settings.channels);
  const question = event.type === "waiting" ? event.request : undefined;
  const channelsAfter = (delayMs: number) =>
    [...new Set(names)].filter((name) => {
      const channel = ownValue(settings.channels, name);
      if (channel?.type === "chat" && question !== undefined) {
        return (channel.agents?.includes(content.agentId ?? "") ?? true) &&
          canAnswer(channel, question, question.createdAt + delayMs);
      }
      if (channel?.type === "mail" && question?.rule !== undefined) {
        const at = question.createdAt + delayMs;
        return channel.to.some((address) => mayAnswerByMail(address, question, at, people));
      }
      return channel !== undefined && !(channel.type === "command" && !channel.allow);
    });
  const shown = (text: string) => ports.redactor.redact(toPlainText(text));
  const title = toPlainLine(shown(content.title), MAX_TITLE);
  const text = cutEnd(shown(content.text).trim(), MAX_TEXT);
  const whole = { ...content, title };
  const to = (channel: string) => {
    const isMail = mailText !== undefined && settings.channels[channel]?.type === "mail";
    return { channel, text: isMail ? cutEnd(shown(mailText).trim(), MAX_MAIL_TEXT) : text };
  };
  const first = channelsAfter(0).map((channel) => ({ ...whole, ...to(channel) }));
  if (question?.rule === undefined) return first;
  const delayMs = REMINDER_MS;
  const reminder = { ...whole, title: toPlainLine(`Reminder: ${title}`, MAX_TITLE), delayMs };
  return [...first, ...channelsAfter(delayMs).map((channel) => ({ ...reminder, ...to(channel) }))];
}

/** Returns true if a person of a chat may answer a question with a rule at a time, or if it has no rule. */
function canAnswer(
  { people }: ChatSettings,
  { rule }: HumanRequest,
  at: number,
): boolean {
  return rule === undefined || people.some(({ name, role, may }) => {
    const by = { via: "chat" as const, name, ...(role !== undefined && { role }) };
    return may.includes("answer") && findApprover(rule, by, at) !== undefined;
  });
}

/** Returns true if the person with a mail address may answer a question with a rule at a time. */
function mayAnswerByMail(
  address: string,
  { rule }: HumanRequest,
  at: number,
  people: readonly Person[],
): boolean {
  const by = toMailCaller(people, address);
  return by !== undefined && rule !== undefined && findApprover(rule, by, at) !== undefined;
}

/** The values of a message that is about no agent, run or question, and is combined with similar ones. */
const ABOUT_NOTHING = { agentId: null, executionId: null, requestId: null, isFoldable: true };

function draftContent(event: NotableEvent, ports: NotifyPorts): DraftContent | undefined {
  // A dry run causes no messages, because the person who started it watches it.
  if ("execution" in event && event.execution.isDryRun) return undefined;
  switch (event.type) {
    case "waiting":
      return draftQuestion(event);
    case "ended":
      return draftEnd(event);
    case "missed":
      return draftMissed(event.slot, ports);
    case "stopped": {
      const { agentId, displayName, reason, stop } = event;
      const isFailing = stop?.by === "failures";
      return {
        ...ABOUT_NOTHING,
        kind: isFailing ? "error" : "loop",
        agentId,
        title: `${displayName}: its trigger was stopped`,
        text: `${reason}\n` +
          (isFailing
            ? "Inkling retries it in an hour, then once a day. Fix the cause, then run"
            : "Run") +
          ` "inkling resume ${agentId}" to start it again.`,
      };
    }
    case "budget": {
      const { agentId, executionId, text } = event;
      const name = agentId === null ? "the workspace" : nameOf(agentId, ports);
      return {
        ...ABOUT_NOTHING,
        kind: "budget",
        agentId,
        executionId,
        // Budget messages are not combined, because there are few and each should be sent at once.
        isFoldable: false,
        title: `Budget of ${name}`,
        text,
      };
    }
    case "account": {
      const { account, since, reason } = event;
      return {
        ...ABOUT_NOTHING,
        ...{ kind: "error", isFoldable: false },
        title: `The mail account ${account} cannot be reached`,
        text: `Since ${
          ports.showTime(since)
        }: ${reason}\nNo mail is lost: it starts its runs later.`,
      };
    }
  }
  return event satisfies never;
}

function draftQuestion(
  { execution, request }: { execution: Execution; request: HumanRequest },
): DraftContent {
  const { id, agentId, displayName } = execution;
  const options = request.options === null ? [] : [`Options: ${request.options.join(", ")}`];
  const textWith = (lines: readonly string[]) =>
    [request.message, ...lines, ...options, `Execution ${id}: inkling respond ${id}`].join("\n");
  return {
    kind: "waiting",
    agentId,
    executionId: id,
    requestId: request.requestId,
    // Questions are not combined, because each needs its own answer.
    isFoldable: false,
    title: request.toolName === SIGN_IN
      ? `Sign in to ${request.toolArgs["server"]}`
      : `${displayName} waits for your answer`,
    text: textWith(argumentLines(request)),
    ...(request.isGuard && { mailText: textWith(wholeArguments(request)) }),
  };
}

/**
 * Returns one line for each argument of the call to confirm, shortened. Returns none if the question is not about a call.
 * The answer page shows the full arguments.
 */
function argumentLines({ toolArgs, isGuard }: HumanRequest): string[] {
  if (isGuard !== true) return [];
  const entries = Object.entries(toolArgs);
  const lines = entries.slice(0, MOST_VALUES).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${toPlainLine(name, MAX_VALUE)}: ${toPlainLine(text, MAX_VALUE)}`;
  });
  return entries.length > MOST_VALUES ? [...lines, "…"] : lines;
}

function wholeArguments({ toolArgs }: Pick<HumanRequest, "toolArgs">): string[] {
  return Object.entries(toolArgs).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${toPlainLine(name, MAX_VALUE)}:${text.includes("\n") ? "\n" : " "}${text}`;
  });
}

/** Returns true if a mail about the question shows every character of the call. */
export function isShownWhole(request: Pick<HumanRequest, "toolArgs" | "isGuard">): boolean {
  return !request.isGuard || wholeArguments(request).join("\n").length <= MAX_ARGUMENTS;
}

function draftEnd(
  { execution, output }: { execution: Execution; output: string | null },
): DraftContent | undefined {
  const kind = kindOfEnd(execution);
  if (kind === undefined) return undefined;
  const { id, agentId, displayName, error } = execution;
  const logs = `Execution ${id}: inkling logs -e ${id}`;
  return {
    ...ABOUT_NOTHING,
    kind,
    agentId,
    executionId: id,
    title: `${displayName} ${verbOf(execution, kind)}`,
    text: kind === "success" ? (output?.trim() || logs) : `${error ?? "It failed."}\n${logs}`,
  };
}

function verbOf({ status }: Execution, kind: NotifyKind): string {
  if (kind === "success") return "succeeded";
  if (kind === "loop") return "was stopped: it repeated itself";
  if (kind === "budget") return "was stopped: its budget is used up";
  if (status === "timeout") return "timed out";
  return status === "orphaned" || status === "aborted" ? "was interrupted" : "failed";
}

function draftMissed(
  { agentId, scheduledFor, reason, count, outcome }: Slot,
  ports: NotifyPorts,
): DraftContent {
  const what = outcome === "skipped"
    ? `${count} checks in a row failed`
    : `missed ${count === 1 ? "a run" : `${count} runs`}`;
  const since = ports.showTime(scheduledFor);
  return {
    ...ABOUT_NOTHING,
    kind: "missed",
    agentId,
    title: `${nameOf(agentId, ports)}${outcome === "skipped" ? ":" : ""} ${what}`,
    text: `${count === 1 ? "Due" : "Due from"} ${since}${count === 1 ? "" : " on"}, not run: ${
      reason ?? "no reason is known"
    }.`,
  };
}

function nameOf(agentId: string, { registry }: NotifyPorts): string {
  return registry.get(agentId)?.displayName ?? agentId;
}
