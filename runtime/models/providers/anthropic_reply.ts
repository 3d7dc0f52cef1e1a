// Assembles a reply from the events of a stream of the Messages API.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { ToolCall } from "../message.ts";
import {
  type ModelDelta,
  type ModelReply,
  type StopReason,
  textDelta,
  type Usage,
} from "../model.ts";
import { type BlockOwner, keepBlocks } from "./kept_fields.ts";
import type { ReplyAssembler } from "./provider_model.ts";
import { toArgumentsObject } from "./tool_call_arguments.ts";
import { checkCallCount, inventCallId } from "./tool_call_assembly.ts";
import { toTokenCount } from "./token_count.ts";

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map(Object.entries({
  end_turn: "end",
  stop_sequence: "end",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
}));

/** Converts a complete reply to the events of a stream. Returns undefined for a document that is no reply. */
export function toAnthropicEvents(whole: unknown): unknown[] | undefined {
  if (!isJsonObject(whole) || !Array.isArray(whole.content)) return undefined;
  const { content, stop_reason: reason, usage } = whole;
  const blocks = content.map((block, index) => (
    { type: "content_block_start", index, content_block: block }
  ));
  return [
    { type: "message_start", message: whole },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: reason ?? "end_turn" }, usage },
  ];
}

interface Block {
  /** The block in the provider's format. finish() adds the input of a tool call. */
  wire: JsonObject;
  /** The received part of a tool call's input, as JSON text. */
  input: string;
}

/** Assembles one reply from the events of a Messages stream. */
export class AnthropicReplyAssembler implements ReplyAssembler {
  readonly #owner: BlockOwner;
  readonly #blocks = new Map<number, Block>();
  /** The text in order of arrival, as it was shown. Some servers send the pieces of several blocks in turn. */
  #text = "";
  #stopReason: string | undefined;
  /** The provider's token counts. */
  #counts: JsonObject = {};
  usage: Usage | null = null;

  constructor(owner: BlockOwner) {
    this.#owner = owner;
  }

  add(event: unknown): ModelDelta {
    if (!isJsonObject(event)) return { type: "progress" };
    switch (event.type) {
      case "message_start":
        if (isJsonObject(event.message)) this.#addUsage(event.message.usage);
        break;
      case "content_block_start":
        if (isJsonObject(event.content_block)) return this.#begin(event.index, event.content_block);
        break;
      case "content_block_delta":
        if (isJsonObject(event.delta)) return this.#grow(event.index, event.delta);
        break;
      case "message_delta":
        this.#addUsage(event.usage);
        if (isJsonObject(event.delta) && typeof event.delta.stop_reason === "string") {
          this.#stopReason = event.delta.stop_reason;
        }
    }
    return { type: "progress" };
  }

  finish(): ModelReply | undefined {
    if (this.#stopReason === undefined) return undefined;
    const blocks = [...this.#blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
    const toolCalls: ToolCall[] = [];
    for (const { wire, input } of blocks) {
      if (wire.type !== "tool_use") continue;
      const call = toToolCall(wire, input);
      toolCalls.push(call);
      wire.id = call.id;
      wire.input = toArgumentsObject(call.arguments);
    }
    // Text and tool calls can be rebuilt from the stored message. Other blocks, such as thinking, are stored unchanged.
    const verbatim = blocks.some(({ wire }) => wire.type !== "text" && wire.type !== "tool_use");
    const kept = blocks.map(({ wire }) => wire).filter((wire) => !isBlankText(wire));
    return {
      message: {
        role: "assistant",
        content: this.#text,
        toolCalls,
        ...(verbatim ? { providerData: keepBlocks(this.#owner, kept) } : {}),
      },
      stop: STOP_REASONS.get(this.#stopReason) ?? "unknown",
      usage: this.usage,
      reportedCostUsd: null,
    };
  }

  #begin(index: JsonValue | undefined, wire: JsonObject): ModelDelta {
    const block = { wire: { ...wire }, input: "" };
    // Some servers send the complete input at once.
    if (
      wire.type === "tool_use" && isJsonObject(wire.input) && Object.keys(wire.input).length > 0
    ) {
      block.input = JSON.stringify(wire.input);
    }
    checkCallCount(this.#blocks.size + 1);
    this.#blocks.set(typeof index === "number" ? index : this.#blocks.size, block);
    return this.#say(wire.type === "text" ? textOf(wire.text) : "");
  }

  #grow(index: JsonValue | undefined, delta: JsonObject): ModelDelta {
    const block = typeof index === "number" ? this.#blocks.get(index) : undefined;
    if (block === undefined) return { type: "progress" };
    const { wire } = block;
    switch (delta.type) {
      case "text_delta": {
        const text = textOf(delta.text);
        wire.text = textOf(wire.text) + text;
        return this.#say(text);
      }
      case "input_json_delta":
        block.input += textOf(delta.partial_json);
        break;
      case "thinking_delta":
        wire.thinking = textOf(wire.thinking) + textOf(delta.thinking);
        break;
      case "signature_delta":
        wire.signature = textOf(wire.signature) + textOf(delta.signature);
    }
    return { type: "progress" };
  }

  #say(text: string): ModelDelta {
    this.#text += text;
    return textDelta(text);
  }

  /** Adds counts of the provider. They are running totals, so the last value of each count is valid. */
  #addUsage(usage: JsonValue | undefined): void {
    if (!isJsonObject(usage)) return;
    const numbers = Object.entries(usage).filter(([, value]) => typeof value === "number");
    this.#counts = { ...this.#counts, ...Object.fromEntries(numbers) };
    this.usage = toUsage(this.#counts);
  }
}

function toToolCall(wire: JsonObject, input: string): ToolCall {
  const id = textOf(wire.id);
  return {
    id: id === "" ? inventCallId() : id,
    name: textOf(wire.name),
    arguments: input.trim() === "" ? "{}" : input,
  };
}

/** Converts the counts. The provider excludes cached tokens from `input_tokens`, but `Usage` includes them. */
function toUsage(usage: JsonObject): Usage {
  const cacheReadTokens = toTokenCount(usage.cache_read_input_tokens);
  const cacheWriteTokens = toTokenCount(usage.cache_creation_input_tokens);
  return {
    inputTokens: toTokenCount(usage.input_tokens) + cacheReadTokens + cacheWriteTokens,
    outputTokens: toTokenCount(usage.output_tokens),
    cacheReadTokens,
    cacheWriteTokens,
  };
}

function isBlankText(wire: JsonObject): boolean {
  return wire.type === "text" && textOf(wire.text).trim() === "";
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
