// Token counts where the provider reports none: about four characters to a token.
import type { AssistantMessage, Message } from "./message.ts";
import type { ModelRequest } from "./model.ts";

const CHARACTERS_PER_TOKEN = 4;

/** About how many tokens a request's messages and tools take. */
export function estimateInputTokens(request: ModelRequest): number {
  let characters = 0;
  for (const message of request.messages) characters += messageCharacters(message);
  if (request.tools.length > 0) characters += JSON.stringify(request.tools).length;
  if (request.schema !== undefined) characters += JSON.stringify(request.schema).length;
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** About how many tokens a message takes; of a reply with what goes back verbatim. */
export function estimateMessageTokens(message: Message): number {
  return messageCharacters(message) / CHARACTERS_PER_TOKEN;
}

function messageCharacters(message: Message): number {
  if (message.role !== "assistant") {
    return message.content.length + mediaTokens(message) * CHARACTERS_PER_TOKEN;
  }
  const { content, providerData } = message;
  const kept = providerData === undefined ? 0 : JSON.stringify(providerData).length;
  return content.length + callCharacters(message) + kept;
}

function mediaTokens(message: Message): number {
  if (!("media" in message)) return 0;
  return (message.media ?? []).reduce((sum, { tokens }) => sum + tokens, 0);
}

/** About how many tokens a reply takes. */
export function estimateOutputTokens(message: AssistantMessage): number {
  return Math.ceil((message.content.length + callCharacters(message)) / CHARACTERS_PER_TOKEN);
}

function callCharacters(message: AssistantMessage): number {
  return message.toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
}

/** What providers put around a message, and around the declarations of tools, at most. */
const TOKENS_PER_MESSAGE = 12;
const TOKENS_PER_TOOL = 24;
const TOKENS_FOR_TOOLS = 900;
/** Some models count three times as much for a picture as most. */
const MOST_PER_MEDIA_TOKEN = 3;
/** Ours where it is asked for in words, and what providers put around it. */
const TOKENS_FOR_SCHEMA = 300;

/**
 * At least as many tokens as any provider counts for a request of usual texts (prose, code, data, all scripts): what is set
 * aside for a call before it is made.
 */
export function boundInputTokens(request: ModelRequest): number {
  let tokens = TOKENS_PER_MESSAGE;
  if (request.schema !== undefined) {
    tokens += TOKENS_FOR_SCHEMA + boundTokens(JSON.stringify(request.schema));
  }
  for (const message of request.messages) {
    tokens += counted.getOrInsertComputed(message, boundMessageTokens);
  }
  if (request.tools.length === 0) return tokens;
  const declared = boundTokens(JSON.stringify(request.tools));
  return tokens + TOKENS_FOR_TOOLS + declared + request.tools.length * TOKENS_PER_TOOL;
}

/** Each call of a run sends what the one before sent, and a little more: long conversations are counted once. */
const counted = new WeakMap<Message, number>();

function boundMessageTokens(message: Message): number {
  let tokens = TOKENS_PER_MESSAGE + boundTokens(message.content) +
    MOST_PER_MEDIA_TOKEN * mediaTokens(message);
  if (message.role === "tool") tokens += TOKENS_PER_MESSAGE + boundTokens(message.toolName);
  if (message.role !== "assistant") return tokens;
  for (const call of message.toolCalls) {
    tokens += TOKENS_PER_MESSAGE + boundTokens(call.name) + boundTokens(call.arguments);
  }
  if (message.providerData !== undefined) {
    tokens += boundTokens(JSON.stringify(message.providerData));
  }
  return tokens;
}

/** The same for a reply, as far as it was seen. */
export function boundOutputTokens(text: string): number {
  return text === "" ? 0 : TOKENS_PER_MESSAGE + boundTokens(text);
}

const UTF8 = new TextEncoder();
// Words in pieces as they are cut everywhere: by case, and from letters to digits. Runs of one character are one piece.
const PIECES = /[A-Z]?[a-z]+|[A-Z]+|[0-9]|[ \t]+|[\n\r]|([!-/:-@[-`{-~])\1*|\P{ASCII}+|\p{Cc}/gu;
/** Shorter pieces are rarely cut further. */
const LETTERS_PER_TOKEN = 2;
const CAPITALS_PER_TOKEN = 1.5;
const REPEATED_PER_TOKEN = 4;

/**
 * An upper bound of the tokens of a text. No vocabulary is needed for that: tokens hold at least one byte, in other scripts
 * than Latin too, and words of usual texts are not cut into pieces of less than two letters on average.
 */
function boundTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) {
    const code = piece.charCodeAt(0);
    if (code > 0x7f) tokens += UTF8.encode(piece).length;
    else if (piece === " ") continue; // It is part of the word that it stands before.
    else if (code === 0x20 || code === 0x09) tokens += Math.ceil(piece.length / REPEATED_PER_TOKEN);
    else if (isCapital(piece.charCodeAt(piece.length - 1))) {
      tokens += Math.ceil(piece.length / CAPITALS_PER_TOKEN);
    } else if (isCapital(code) || (code >= 0x61 && code <= 0x7a)) {
      tokens += Math.ceil(piece.length / LETTERS_PER_TOKEN);
    } else tokens += Math.ceil(piece.length / REPEATED_PER_TOKEN);
  }
  return tokens;
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}
