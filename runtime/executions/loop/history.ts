// Creates the history that a new run gets from the previous one. The history is trimmed at the run's start to a sequence
// that every provider accepts.
import type { HistoryLevel } from "../../config/agent_settings.ts";
import type { Message, ToolMessage, UserMessage } from "../../models/message.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { toSkillBreadcrumb } from "../../tools/skills/skill_context.ts";
import type { Execution } from "../execution.ts";

/** The maximum number of messages of earlier runs, by history level. */
const WINDOW: Readonly<Record<HistoryLevel, number>> = { off: 0, low: 10, medium: 50, high: 200 };
/**
 * The maximum length in characters of a tool result in the history. The length includes the note about the cut, so that the
 * next run does not cut the result again.
 */
const OLD_RESULT_CHARACTERS = 500;

/** Returns the messages of the earlier conversation that fit into the history level. */
export function seedHistory(
  earlier: { messages: readonly Message[]; execution: Execution } | undefined,
  { level, redactor }: { level: HistoryLevel; redactor: Redactor },
): Message[] {
  const window = WINDOW[level];
  if (earlier === undefined || window === 0) return [];
  const whole = wholeHistory(earlier);
  const recent = whole.slice(-window);
  // The history begins with a user turn. A tool result without its call or an injected text without its context would be
  // useless.
  const start = recent.findIndex(isTurn);
  return (start < 0 ? endOfLongTurn(whole, window) : recent.slice(start))
    .map((message) => shorten(message, redactor));
}

/** Returns an earlier conversation without its system message, in the form that providers accept. */
export function wholeHistory(
  { messages, execution }: { messages: readonly Message[]; execution: Execution },
): Message[] {
  const whole = repair(messages.filter(({ role }) => role !== "system"));
  const last = whole.at(-1);
  // A turn without an answer gets a note, because some providers refuse two consecutive user turns.
  if (last !== undefined && last.role !== "assistant") whole.push(toFailureNote(execution));
  return whole;
}

/**
 * Shortens a turn that has more messages than the history may have: returns its user message and the last messages that
 * fit.
 */
function endOfLongTurn(whole: readonly Message[], window: number): Message[] {
  const asked = whole.findLast(isTurn);
  if (asked === undefined) return [];
  const recent = whole.slice(1 - window);
  // Providers refuse a result without its call, so the messages after the user message begin with a reply.
  return [asked, ...recent.slice(recent.findIndex(({ role }) => role === "assistant"))];
}

/** Returns true for a user turn that the runtime did not inject. */
function isTurn(message: Message): boolean {
  return message.role === "user" && message.injected === undefined;
}

/** Adds missing results and drops results without a call, so that providers accept the messages. */
function repair(messages: readonly Message[]): Message[] {
  const whole: Message[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") continue;
    whole.push(message);
    if (message.role !== "assistant") continue;
    const results = messages.slice(index + 1, index + 1 + message.toolCalls.length);
    for (const call of message.toolCalls) {
      whole.push(
        results.find((one): one is ToolMessage =>
          one.role === "tool" && one.toolCallId === call.id
        ) ?? {
          role: "tool",
          toolCallId: call.id,
          toolName: call.name,
          content: "Interrupted",
          isError: true,
        },
      );
    }
  }
  return whole;
}

function shorten(message: Message, redactor: Redactor): Message {
  if (message.role === "user") return leaveBreadcrumb(message);
  if (message.role !== "tool") return message;
  // Pictures stay in the run that read them and are not copied.
  const { media: _media, ...text } = message;
  if (text.content.length <= OLD_RESULT_CHARACTERS) return text;
  const note = `… [cut from history: it had ${message.content.length} characters]`;
  const kept = redactor.beginningOf(message.content, OLD_RESULT_CHARACTERS - note.length);
  return { ...text, content: kept + note };
}

/**
 * Replaces injected instructions of skills by a short note. A person's text that looks like a skill's tag stays unchanged.
 */
function leaveBreadcrumb(message: UserMessage): UserMessage {
  // The `repair` mark is removed, so that the new run may request a repair, too. Pictures stay in the run that got them.
  const { repair: _repair, media: _media, ...kept } = message;
  const content = kept.injected ? toSkillBreadcrumb(kept.content) : undefined;
  return content === undefined ? kept : { ...kept, content };
}

function toFailureNote({ status, error }: Execution): Message {
  const content = `(This run ended without an answer: ${error ?? status})`;
  return { role: "assistant", content, toolCalls: [], stop: "end" };
}
