// Estimates tokens from the length of texts (about four characters per token), and calculates upper bounds for
// reservations.
import type { AssistantMessage, Message } from "./message.ts";
import type { ModelRequest } from "./model.ts";

const CHARACTERS_PER_TOKEN = 4;

/** Returns the estimated input tokens of a request: of its messages, tools and schema. */
export function estimateInputTokens(request: ModelRequest): number {
  let characters = 0;
  for (const message of request.messages) characters += messageCharacters(message);
  if (request.tools.length > 0) {
    characters += serializedLengths.getOrInsertComputed(request.tools, serializedLength);
  }
  if (request.schema !== undefined) characters += JSON.stringify(request.schema).length;
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** A cache by list of tools, because all calls of a run have the same list. */
const serializedLengths = new WeakMap<object, number>();

function serializedLength(value: object): number {
  return JSON.stringify(value).length;
}

/** Returns the estimated tokens of a message, including the provider data of a reply. */
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

/** Returns the estimated output tokens of a reply. */
export function estimateOutputTokens(message: AssistantMessage): number {
  return Math.ceil((message.content.length + callCharacters(message)) / CHARACTERS_PER_TOKEN);
}

function callCharacters(message: AssistantMessage): number {
  return message.toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
}

/** The maximum number of tokens that a provider adds: per message, per tool, and for the list of tools. */
const TOKENS_PER_MESSAGE = 12;
const TOKENS_PER_TOOL = 24;
const TOKENS_FOR_TOOLS = 900;
/** The factor for media, because some models count three times as many tokens for a picture as most models do. */
const MOST_PER_MEDIA_TOKEN = 3;
/** The maximum number of tokens around a schema: Inkling's text in the prompt, and the text that the provider adds. */
const TOKENS_FOR_SCHEMA = 300;

/**
 * Returns an upper bound for the input tokens of a request, for the reservation of its cost. The bound holds at all
 * providers for ordinary texts (prose, code, data, all scripts).
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

/** A cache of the bounds by message, because each call of a run repeats the messages of the previous call. */
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

/** Returns an upper bound for the output tokens of a reply's text. */
export function boundOutputTokens(text: string): number {
  return text === "" ? 0 : TOKENS_PER_MESSAGE + boundTokens(text);
}

const UTF8 = new TextEncoder();
// Splits words as tokenizers do: at changes of case, and between letters and digits. A repeated character is one piece.
const PIECES = /[A-Z]?[a-z]+|[A-Z]+|[0-9]|[ \t]+|[\n\r]|([!-/:-@[-`{-~])\1*|\P{ASCII}+|\p{Cc}/gu;
/**
 * The minimum average number of characters per token, by kind of piece: letters, capital letters, and repeated characters.
 */
const LETTERS_PER_TOKEN = 2;
const CAPITALS_PER_TOKEN = 1.5;
const REPEATED_PER_TOKEN = 4;

/**
 * Returns an upper bound for the tokens of a text, without a vocabulary. A token has at least one byte in every script, and
 * tokens of ordinary words have at least two letters on average.
 */
function boundTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) {
    const code = piece.charCodeAt(0);
    if (code > 0x7f) tokens += UTF8.encode(piece).length;
    else if (piece === " ") continue; // A single space is part of the next word.
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
