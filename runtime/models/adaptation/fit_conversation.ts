// Shortens a conversation that is too long for its model, in this order: removes old pictures, shortens tool results of
// earlier turns, removes the oldest turns, cuts tool results of the current turn. The stored conversation does not change.
// This module is loaded on demand.
import type { Message, ToolMessage } from "../message.ts";
import { estimateMessageTokens } from "../token_estimate.ts";

const OLD_RESULT_CHARACTERS = 200;
const RESULT_CHARACTERS = 500;
const CHARACTERS_PER_TOKEN = 4;

/**
 * Returns the conversation, shortened to `room` estimated tokens or as far as possible, with its estimated tokens.
 * `changes` describes the changes; it is empty if no change was possible.
 */
export function fitConversation(
  messages: readonly Message[],
  room: number,
): { messages: Message[]; tokens: number; changes: string } {
  const fitted: (Message | undefined)[] = [...messages];
  let tokens = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  const counts = { pictures: 0, old: 0, turns: 0, own: 0 };
  const put = (index: number, message: Message | undefined) => {
    const before = fitted[index];
    tokens += (message ? estimateMessageTokens(message) : 0) -
      (before ? estimateMessageTokens(before) : 0);
    fitted[index] = message;
  };
  const cut = (index: number, length: number): number => {
    const message = fitted[index];
    if (message?.role !== "tool" || message.content.length <= length) return 0;
    put(index, cutResult(message, length));
    return 1;
  };
  const drop = (index: number) => {
    const message = fitted[index];
    if (tokens <= room || message === undefined || !("media" in message)) return;
    const { media = [], ...rest } = message;
    const note = rest.role === "tool" ? ": call the tool again to see it." : ".";
    put(index, { ...rest, content: `${rest.content}\n[Left out${note}]` });
    counts.pictures += media.length;
  };
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  for (let index = 0; index < last; index++) drop(index);
  const start = messages.findLastIndex(isTurn);
  for (let index = 0; index < start && tokens > room; index++) {
    counts.old += cut(index, OLD_RESULT_CHARACTERS);
  }
  for (let index = 0; index < start && tokens > room;) {
    const begin = messages.findIndex((one, at) => at >= index && one.role !== "system");
    const next = messages.findIndex((one, at) => at > begin && isTurn(one));
    for (index = begin; index < next; index++) put(index, undefined);
    counts.turns++;
  }
  for (let index = start; index < last && tokens > room; index++) {
    counts.own += cut(index, RESULT_CHARACTERS);
  }
  const newest = [...messages.keys()].filter((index) => index > last)
    .sort((a, b) => lengthOf(messages[b]) - lengthOf(messages[a]));
  for (const index of newest) {
    drop(index);
    const excess = (tokens - room) * CHARACTERS_PER_TOKEN;
    if (excess <= 0) break;
    counts.own += cut(
      index,
      Math.max(RESULT_CHARACTERS, Math.floor(lengthOf(messages[index]) - excess)),
    );
  }
  return {
    messages: fitted.filter((message) => message !== undefined),
    tokens,
    changes: describe(counts),
  };
}

function isTurn(message: Message): boolean {
  return message.role === "user" && !message.injected;
}

function lengthOf(message: Message | undefined): number {
  return message?.content.length ?? 0;
}

function cutResult(message: ToolMessage, length: number): ToolMessage {
  const note =
    `\n[Cut to fit into the model's context window: this result had ${message.content.length} ` +
    "characters. Ask for less of it, or for it in parts.]";
  const kept = message.content.slice(0, Math.max(0, length - note.length)).replace(
    /[\ud800-\udbff]$/,
    "",
  );
  return { ...message, content: kept + note };
}

function describe(
  { pictures, old, turns, own }: { pictures: number; old: number; turns: number; own: number },
): string {
  const list = (count: number, what: string) => count === 0 ? [] : [`${what}: ${count}`];
  return [
    ...list(pictures, "pictures left out"),
    ...list(old, "results of earlier turns shortened"),
    ...list(turns, "earlier turns left out"),
    ...list(own, "results of this run cut"),
  ].join(", ");
}
