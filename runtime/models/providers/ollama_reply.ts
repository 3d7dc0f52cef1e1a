// Reads the lines of an Ollama chat into one reply.
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { type ModelDelta, type ModelReply, type StopReason, type Usage } from "../model.ts";
import { type ProviderContext, streamedFailure } from "../provider_failure.ts";
import type { BlockOwner } from "./provider_blocks.ts";
import { ReplyMessage } from "./reply_message.ts";
import type { ReplyAssembly } from "./streamed_reply.ts";
import { toTokenCount } from "./token_count.ts";

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map(
  Object.entries({ stop: "end", length: "length" }),
);

const KNOWN_FIELDS = new Set(["role", "content", "tool_calls", "images", "tool_name"]);

/** One reply of an Ollama chat as it grows. */
export class OllamaReplyAssembly implements ReplyAssembly {
  readonly #context: ProviderContext;
  readonly #promptTokens: number;
  readonly #message: ReplyMessage;
  #calls = 0;
  #last: JsonObject | undefined;
  #usage: Usage | null = null;

  /** `promptTokens` stands in where the server does not count the prompt: it does not when it had it in its cache. */
  constructor(context: ProviderContext, of: { owner: BlockOwner; promptTokens: number }) {
    this.#context = context;
    this.#message = new ReplyMessage(of.owner, KNOWN_FIELDS);
    this.#promptTokens = of.promptTokens;
  }

  /** Counted in the last line alone. */
  get usage(): Usage | null {
    return this.#usage;
  }

  /** Throws ModelError for a line that reports an error. */
  add(line: unknown): ModelDelta {
    if (!isJsonObject(line)) return { type: "progress" };
    if (line.error !== undefined) {
      const message = typeof line.error === "string" ? line.error : JSON.stringify(line.error);
      throw streamedFailure(this.#context, { code: undefined, type: undefined, message });
    }
    if (line.done === true) {
      this.#last = line;
      this.#usage = usageOf(line, this.#promptTokens);
    }
    if (!isJsonObject(line.message)) return { type: "progress" };
    const { content, tool_calls: calls } = line.message;
    for (const call of Array.isArray(calls) ? calls : []) {
      // Calls come whole; a number of our own keeps two of the same name apart.
      if (isJsonObject(call)) this.#message.calls.add({ ...call, index: this.#calls++ });
    }
    const text = this.#message.add(line.message, typeof content === "string" ? content : "");
    return text === "" ? { type: "progress" } : { type: "text", text };
  }

  finish(): ModelReply | undefined {
    const last = this.#last;
    if (last === undefined) return undefined;
    const reason = typeof last.done_reason === "string" ? last.done_reason : "stop";
    const stop = STOP_REASONS.get(reason) ?? "unknown";
    const message = this.#message.finish({ isCut: stop === "length" });
    return {
      message,
      stop: stop === "end" && message.toolCalls.length > 0 ? "tool_calls" : stop,
      usage: this.#usage,
      reportedCostUsd: null,
    };
  }
}

function usageOf(last: JsonObject, promptTokens: number): Usage | null {
  const { prompt_eval_count: input, eval_count: output } = last;
  if (typeof input !== "number" && typeof output !== "number") return null;
  return {
    inputTokens: typeof input === "number" ? toTokenCount(input) : promptTokens,
    outputTokens: toTokenCount(output),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
}
