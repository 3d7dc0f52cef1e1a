// Reads the chunks of a Chat Completions stream into one reply. Nothing about a chunk is trusted but that it is JSON:
// endpoints that call themselves compatible differ in every field.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import {
  type ModelDelta,
  type ModelReply,
  type StopReason,
  textDelta,
  type Usage,
} from "../model.ts";
import { addFields, type BlockOwner, keepFields } from "./kept_fields.ts";
import { ToolCallAssembly } from "./tool_call_assembly.ts";
import type { ReplyAssembly } from "./provider_model.ts";
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

/** Fields that every message has, or that mean nothing to a model that gets them again. */
const KNOWN_FIELDS = new Set(
  ["role", "content", "tool_calls", "function_call", "refusal", "annotations", "audio"],
);

/** One reply of a Chat Completions stream as it grows. */
export class OpenAiReplyAssembly implements ReplyAssembly {
  readonly #owner: BlockOwner;
  readonly #calls = new ToolCallAssembly();
  readonly #think = new ThinkTag();
  /** Fields of the message that only the provider understands, and about how many characters they have. */
  readonly #fields: JsonObject = {};
  #characters = 0;
  #text = "";
  #refused = false;
  #finishReason: string | undefined;
  #usage: Usage | null = null;
  #reportedCostUsd: number | null = null;

  constructor(owner: BlockOwner) {
    this.#owner = owner;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  /** Takes one chunk; returns the sign of life it is. */
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

  /** The whole reply; undefined when the stream never said why it ended, which means that it was cut off. */
  finish(): ModelReply | undefined {
    if (this.#finishReason === undefined) return undefined;
    const isCut = STOP_REASONS.get(this.#finishReason) === "length";
    const content = this.#text + this.#think.finish({ isCut });
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
      stop: this.#stop(toolCalls.length > 0),
      usage: this.#usage,
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

  /** The last counts stand: endpoints that report in every chunk report running totals. */
  #addUsage(usage: JsonValue | undefined): void {
    if (!isJsonObject(usage)) return;
    const { prompt_tokens: input, completion_tokens: output, cost } = usage;
    if (typeof cost === "number" && cost >= 0 && cost < Infinity) this.#reportedCostUsd = cost;
    if (typeof input !== "number" && typeof output !== "number") return;
    const details = isJsonObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
    this.#usage = {
      inputTokens: toTokenCount(input),
      outputTokens: toTokenCount(output),
      cacheReadTokens: toTokenCount(details.cached_tokens ?? usage.prompt_cache_hit_tokens),
      cacheWriteTokens: toTokenCount(details.cache_write_tokens),
    };
  }

  #stop(hasToolCalls: boolean): StopReason {
    const stop = STOP_REASONS.get(this.#finishReason ?? "") ?? "unknown";
    // Many endpoints say `stop` after tool calls; the calls themselves are more reliable.
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

/** The beginning of one reply that streams. */
class ThinkTag {
  #state: "before" | "inside" | "behind" | "past" = "before";
  /** The text that is not classified yet. */
  #held = "";
  #thought = "";

  /** The text inside the tags. */
  get thought(): string {
    return this.#thought;
  }

  /** Takes the next piece of the text; returns what of it belongs to the answer. */
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
      this.#thought = this.#held.slice(0, end);
      this.#held = this.#held.slice(end + CLOSE.length);
      this.#state = "behind";
    }
    this.#held = this.#held.trimStart();
    return this.#held === "" ? "" : this.#pass(this.#held);
  }

  /** The end of the reply: returns what turns out to be no thought. `isCut`: it broke off, perhaps in its thought. */
  finish({ isCut }: { isCut: boolean }): string {
    if (this.#state === "before") return this.#pass(this.#held);
    if (this.#state !== "inside") return "";
    if (!isCut) return this.#pass(OPEN + this.#held);
    this.#thought = this.#held;
    return this.#pass("");
  }

  #pass(text: string): string {
    this.#state = "past";
    this.#held = "";
    return text;
  }
}
