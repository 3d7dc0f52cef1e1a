// Assembles a reply from the chunks of a Chat Completions stream. Validates every field, because compatible endpoints
// differ in all of them.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import {
  type ModelDelta,
  type ModelReply,
  type StopReason,
  textDelta,
  type Usage,
} from "../model.ts";
import { addFields, type BlockOwner, keepFields } from "./kept_fields.ts";
import { ToolCallAssembler } from "./tool_call_assembly.ts";
import type { ReplyAssembler } from "./provider_model.ts";
import { toTokenCount } from "./token_count.ts";

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map(Object.entries({
  stop: "end",
  end_turn: "end",
  eos: "end",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  length: "length",
  max_tokens: "length",
  content_filter: "content_filter",
  refusal: "refusal",
}));

/** The fields that are not stored: fields that every message has, and fields without a meaning when sent back. */
const KNOWN_FIELDS = new Set(
  ["role", "content", "tool_calls", "function_call", "refusal", "annotations", "audio"],
);

/** Converts a complete reply to the chunk of a stream. Returns undefined for a document that is no reply. */
export function toOpenAiChunks(whole: unknown): unknown[] | undefined {
  if (!isJsonObject(whole) || !Array.isArray(whole.choices)) return undefined;
  const choices = whole.choices.filter(isJsonObject).map(
    ({ message, finish_reason: reason, ...rest }) => {
      const { tool_calls: calls, ...delta } = isJsonObject(message) ? message : {};
      // The calls are complete. Each gets an index, because some servers omit the ids.
      const numbered = (Array.isArray(calls) ? calls : []).filter(isJsonObject)
        .map((call, index) => ({ ...call, index }));
      return {
        ...rest,
        delta: { ...delta, tool_calls: numbered },
        finish_reason: reason ?? "stop",
      };
    },
  );
  return [{ ...whole, choices }];
}

/** Assembles one reply from the chunks of a Chat Completions stream. */
export class OpenAiReplyAssembler implements ReplyAssembler {
  readonly #owner: BlockOwner;
  readonly #calls = new ToolCallAssembler();
  readonly #think = new ThinkTag();
  /** The provider-specific fields of the message, and their approximate number of characters. */
  readonly #fields: JsonObject = {};
  #characters = 0;
  #text = "";
  #refused = false;
  #finishReason: string | undefined;
  usage: Usage | null = null;
  #reportedCostUsd: number | null = null;

  constructor(owner: BlockOwner) {
    this.#owner = owner;
  }

  /** Adds a chunk and returns its delta. */
  add(chunk: unknown): ModelDelta {
    if (!isJsonObject(chunk)) return { type: "progress" };
    this.#addUsage(chunk.usage);
    const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
    let text = "";
    for (const choice of choices) {
      if (isJsonObject(choice) && (choice.index ?? 0) === 0) text += this.#addChoice(choice);
    }
    return textDelta(text);
  }

  /** Returns the complete reply, or undefined if the stream broke off, which a missing finish reason shows. */
  finish(): ModelReply | undefined {
    if (this.#finishReason === undefined) return undefined;
    const isCut = STOP_REASONS.get(this.#finishReason) === "length";
    const content = this.#text + this.#think.finish();
    const { ofCalls, characters } = this.#calls.kept();
    const toolCalls = this.#calls.finish();
    const kept = keepFields(this.#owner, {
      fields: this.#fields,
      ofCalls,
      characters: characters + this.#characters,
      thought: this.#think.thought,
    });
    return {
      message: { role: "assistant", content, toolCalls, ...kept },
      stop: this.#think.isOpen && !isCut && toolCalls.length === 0
        ? "unclosed_thought"
        : this.#stop(toolCalls.length > 0),
      usage: this.usage,
      reportedCostUsd: this.#reportedCostUsd,
    };
  }

  #addChoice(choice: JsonObject): string {
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") {
      this.#finishReason = choice.finish_reason;
    }
    const delta = isJsonObject(choice.delta) ? choice.delta : choice.message;
    if (!isJsonObject(delta)) return "";
    if (Array.isArray(delta.tool_calls)) {
      for (const fragment of delta.tool_calls) this.#calls.add(fragment);
    }
    const refusal = typeof delta.refusal === "string" ? delta.refusal : "";
    if (refusal !== "") this.#refused = true;
    this.#characters += addFields(this.#fields, delta, KNOWN_FIELDS);
    const text = this.#think.push(textOf(delta.content)) + refusal;
    this.#text += text;
    return text;
  }

  /** Reads token counts. The last counts are valid, because endpoints with counts in every chunk send running totals. */
  #addUsage(usage: JsonValue | undefined): void {
    if (!isJsonObject(usage)) return;
    const { prompt_tokens: input, completion_tokens: output, cost } = usage;
    if (typeof cost === "number" && cost >= 0 && cost < Infinity) this.#reportedCostUsd = cost;
    if (typeof input !== "number" && typeof output !== "number") return;
    const details = isJsonObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
    this.usage = {
      inputTokens: toTokenCount(input),
      outputTokens: toTokenCount(output),
      cacheReadTokens: toTokenCount(details.cached_tokens ?? usage.prompt_cache_hit_tokens),
      cacheWriteTokens: toTokenCount(details.cache_write_tokens),
    };
  }

  #stop(hasToolCalls: boolean): StopReason {
    const stop = STOP_REASONS.get(this.#finishReason ?? "") ?? "unknown";
    // Many endpoints give the finish reason `stop` for a reply with tool calls, so the calls decide.
    if (hasToolCalls && (stop === "end" || stop === "unknown")) return "tool_calls";
    return stop === "end" && this.#refused ? "refusal" : stop;
  }
}

function textOf(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) =>
    isJsonObject(part) && part.type === "text" && typeof part.text === "string" ? part.text : ""
  ).join("");
}

const OPEN = "<think>";
const CLOSE = "</think>";

/** Separates the thought in a leading `<think>` tag from the answer of a streamed reply. */
class ThinkTag {
  #state: "before" | "inside" | "behind" | "past" = "before";
  /** The received text that may be a part of a tag, and is not yet assigned to thought or answer. */
  #held = "";
  /** The text inside the `<think>` tag. */
  thought = "";

  /** True if the tag is not closed. */
  get isOpen(): boolean {
    return this.#state === "inside";
  }

  /** Adds a piece of text. Returns the part of the text that belongs to the answer. */
  push(piece: string): string {
    if (this.#state === "past" || piece === "") return piece;
    const searched = Math.max(0, this.#held.length - CLOSE.length);
    this.#held += piece;
    if (this.#state === "before") {
      const text = this.#held.trimStart();
      if (text.length < OPEN.length && OPEN.startsWith(text)) return "";
      if (!text.startsWith(OPEN)) return this.#pass(this.#held);
      this.#state = "inside";
      this.#held = text.slice(OPEN.length);
    }
    if (this.#state === "inside") {
      const end = this.#held.indexOf(CLOSE, Math.min(searched, this.#held.length));
      if (end < 0) return "";
      this.thought = this.#held.slice(0, end);
      this.#held = this.#held.slice(end + CLOSE.length);
      this.#state = "behind";
    }
    this.#held = this.#held.trimStart();
    return this.#held === "" ? "" : this.#pass(this.#held);
  }

  /** Ends the reply. Returns the remaining text of the answer. A thought without an end is no part of it. */
  finish(): string {
    if (this.#state === "before") return this.#pass(this.#held);
    if (this.#state === "inside") this.thought = this.#held;
    return "";
  }

  #pass(text: string): string {
    this.#state = "past";
    this.#held = "";
    return text;
  }
}
