// Reads the chunks of a Gemini stream into one reply.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { ToolCall } from "../message.ts";
import {
  type ModelDelta,
  ModelError,
  type ModelReply,
  type StopReason,
  type Usage,
} from "../model.ts";
import { type BlockOwner, keepBlocks } from "./provider_blocks.ts";
import type { ReplyAssembly } from "./provider_model.ts";
import { checkCallCount, inventCallId } from "./tool_call_assembly.ts";
import { toTokenCount } from "./token_count.ts";

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map(Object.entries({
  STOP: "end",
  MAX_TOKENS: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  LANGUAGE: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
}));

/** The model got its own syntax wrong; the same request usually succeeds the next time. */
const SYNTAX_FAILURES: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "MALFORMED_RESPONSE",
]);

/** One reply of a Gemini stream as it grows. */
export class GoogleReplyAssembly implements ReplyAssembly {
  readonly #owner: BlockOwner;
  readonly #parts: JsonObject[] = [];
  readonly #toolCalls: ToolCall[] = [];
  #text = "";
  #finishReason: string | undefined;
  #blocked = false;
  #usage: Usage | null = null;

  constructor(owner: BlockOwner) {
    this.#owner = owner;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  add(chunk: unknown): ModelDelta {
    if (!isJsonObject(chunk)) return { type: "progress" };
    this.#addUsage(chunk.usageMetadata);
    if (isJsonObject(chunk.promptFeedback) && chunk.promptFeedback.blockReason !== undefined) {
      this.#blocked = true;
    }
    const [candidate] = Array.isArray(chunk.candidates) ? chunk.candidates : [];
    if (!isJsonObject(candidate)) return { type: "progress" };
    if (typeof candidate.finishReason === "string") this.#finishReason = candidate.finishReason;
    const parts = isJsonObject(candidate.content) ? candidate.content.parts : undefined;
    let text = "";
    for (const part of Array.isArray(parts) ? parts : []) {
      if (isJsonObject(part)) text += this.#addPart(part);
    }
    this.#text += text;
    return text === "" ? { type: "progress" } : { type: "text", text };
  }

  /** Throws ModelError, worth another attempt, for a reply that the model itself spoiled. */
  finish(): ModelReply | undefined {
    const reason = this.#finishReason;
    if (reason === undefined && !this.#blocked) return undefined;
    if (reason !== undefined && SYNTAX_FAILURES.has(reason)) {
      const shown = reason.toLowerCase().replaceAll("_", " ");
      throw new ModelError(`google could not finish its reply: ${shown}`, { retryable: true });
    }
    const signed = this.#parts.some((part) => part.thoughtSignature !== undefined);
    const named = this.#parts.some((part) =>
      isJsonObject(part.functionCall) && typeof part.functionCall.id === "string"
    );
    return {
      message: {
        role: "assistant",
        content: this.#text,
        toolCalls: this.#toolCalls,
        ...(signed || named ? { providerData: keepBlocks(this.#owner, this.#parts) } : {}),
      },
      stop: this.#stop(),
      usage: this.#usage,
      reportedCostUsd: null,
    };
  }

  #addPart(part: JsonObject): string {
    if (part.thought === true) return "";
    if (isJsonObject(part.functionCall)) {
      checkCallCount(this.#toolCalls.length + 1);
      this.#parts.push(part);
      this.#toolCalls.push(this.#toToolCall(part.functionCall));
      return "";
    }
    const text = typeof part.text === "string" ? part.text : "";
    const last = this.#parts.at(-1);
    // Pieces of text are one part, up to one that is signed: a signature belongs to its own part.
    if (
      typeof last?.text === "string" && last.thoughtSignature === undefined &&
      part.thoughtSignature === undefined && Object.keys(part).length === 1
    ) last.text += text;
    else if (text !== "" || part.thoughtSignature !== undefined) this.#parts.push({ ...part });
    return text;
  }

  #toToolCall(call: JsonObject): ToolCall {
    const given = typeof call.id === "string" ? call.id : "";
    const taken = given === "" || this.#toolCalls.some(({ id }) => id === given);
    return {
      id: taken ? inventCallId() : given,
      name: typeof call.name === "string" ? call.name : "",
      arguments: JSON.stringify(call.args ?? {}),
    };
  }

  /** Counts are running totals. Thinking is output; what tools of the provider read is input. */
  #addUsage(usage: JsonValue | undefined): void {
    if (!isJsonObject(usage) || typeof usage.promptTokenCount !== "number") return;
    this.#usage = {
      inputTokens: toTokenCount(usage.promptTokenCount) +
        toTokenCount(usage.toolUsePromptTokenCount),
      outputTokens: toTokenCount(usage.candidatesTokenCount) +
        toTokenCount(usage.thoughtsTokenCount),
      cacheReadTokens: toTokenCount(usage.cachedContentTokenCount),
      cacheWriteTokens: 0,
    };
  }

  #stop(): StopReason {
    if (this.#finishReason === undefined) return "content_filter";
    const stop = STOP_REASONS.get(this.#finishReason) ?? "unknown";
    return stop === "end" && this.#toolCalls.length > 0 ? "tool_calls" : stop;
  }
}
