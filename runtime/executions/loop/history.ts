// What a new run remembers of the one before it: trimmed once, at its start, and made so that every provider takes it.
import type { HistoryLevel } from "../../config/agent_settings.ts";
import type { Message, ToolMessage, UserMessage } from "../../models/message.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { toSkillBreadcrumb } from "../../tools/skills/skill_context.ts";
import type { Execution } from "../execution.ts";

/** How many messages of earlier runs are sent to the model. */
const WINDOW: Readonly<Record<HistoryLevel, number>> = { off: 0, low: 10, medium: 50, high: 200 };
/** Tool results of earlier runs are cut to this many characters, the note of the cut included: a seed is seeded again. */
const OLD_RESULT_CHARACTERS = 500;

/** The messages that a run starts with before its own: the earlier conversation within the window of its level. */
export function seedHistory(
  earlier: { messages: readonly Message[]; execution: Execution } | undefined,
  { level, redactor }: { level: HistoryLevel; redactor: Redactor },
): Message[] {
  const window = WINDOW[level];
  if (earlier === undefined || window === 0) return [];
  const whole = repair(earlier.messages.filter(({ role }) => role !== "system"));
  const last = whole.at(-1);
  // A turn that got no answer is told as such: two user turns in a row are refused by some providers.
  if (last !== undefined && last.role !== "assistant") whole.push(toFailureNote(earlier.execution));
  const recent = whole.slice(-window);
  // From a user turn on: a window that begins with a result has lost its call, one with injected text has lost who asked for it.
  const start = recent.findIndex(isTurn);
  return (start < 0 ? endOfLongTurn(whole, window) : recent.slice(start))
    .map((message) => shorten(message, redactor));
}

/** Of a turn that is longer than the window what was asked, and as much of its end as the window has room for. */
function endOfLongTurn(whole: readonly Message[], window: number): Message[] {
  const asked = whole.findLast(isTurn);
  if (asked === undefined) return [];
  const recent = whole.slice(1 - window);
  // A result without its call is refused by every provider.
  return [asked, ...recent.slice(recent.findIndex(({ role }) => role === "assistant"))];
}

/** What a person, or whatever started the run, said; not what the runtime put there. */
function isTurn(message: Message): boolean {
  return message.role === "user" && message.injected === undefined;
}

/** Gives every call a result and drops results without a call, so that the sequence is one a provider accepts. */
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
  // A picture is stored once, with the run that read it.
  const { media: _media, ...told } = message;
  if (told.content.length <= OLD_RESULT_CHARACTERS) return told;
  const note = `… [cut from history: it had ${message.content.length} characters]`;
  const kept = redactor.beginningOf(message.content, OLD_RESULT_CHARACTERS - note.length);
  return { ...told, content: kept + note };
}

/** Only of what the runtime put there: a person may write what looks like a skill's tag. */
function leaveBreadcrumb(message: UserMessage): UserMessage {
  // A new run may ask for a repair of its own.
  const { repair: _repair, ...kept } = message;
  const content = kept.injected ? toSkillBreadcrumb(kept.content) : undefined;
  return content === undefined ? kept : { ...kept, content };
}

function toFailureNote({ status, error }: Execution): Message {
  const content = `(This run ended without an answer: ${error ?? status})`;
  return { role: "assistant", content, toolCalls: [], stop: "end" };
}
