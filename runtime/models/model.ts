// The interface of a language model. Adapters only translate to and from a provider's format. Decorators add retries,
// timeouts, prices and limits.
import type { JsonSchema } from "../../base/json.ts";
import type { ToolDescription } from "../vocabulary/tool_vocabulary.ts";
import type { AssistantMessage, Message, StopReason } from "./message.ts";

export type { StopReason } from "./message.ts";

/** One request to a model. The system message, if any, is the first message. */
export interface ModelRequest {
  messages: readonly Message[];
  tools: readonly ToolDescription[];
  /** The temperature; undefined for the provider's default. Some models refuse any value. */
  temperature: number | undefined;
  /** The maximum number of tokens in the reply. */
  maxTokens: number;
  /** The schema of the answer; absent if the answer may be any text. */
  schema?: JsonSchema;
  /**
   * The names of request parts that the endpoint has refused (see adaptation/known_limits.ts). Adapters omit these parts.
   */
  refused?: ReadonlySet<string>;
}

/** The token counts of one reply. `inputTokens` includes the cached tokens. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** The input tokens that were read from the provider's cache. They are part of `inputTokens`. */
  cacheReadTokens: number;
  /** The input tokens that were written to the provider's cache. They are part of `inputTokens`. */
  cacheWriteTokens: number;
}

/** Returns the usage of a reply without cached tokens. */
export function uncachedUsage(inputTokens: number, outputTokens: number): Usage {
  return { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
}

/** One complete reply. */
export interface ModelReply {
  message: AssistantMessage;
  stop: StopReason;
  /** The token counts; null if the endpoint reported none. */
  usage: Usage | null;
  /** The cost in US dollars that the endpoint reported; null if it reported none. */
  reportedCostUsd: number | null;
}

/**
 * An event of a streamed reply. `text` is a piece of its text. `progress` is an event without text. `usage` is the
 * provider's running total. `restart` voids all text and counts so far. `notice` is a sentence for people, such as the
 * reason for a wait.
 */
export type ModelDelta =
  | { type: "text"; text: string }
  | { type: "progress" }
  | { type: "usage"; usage: Usage }
  | { type: "restart" }
  | { type: "notice"; level: "info" | "warn"; text: string };

/** Returns the delta for a chunk of text: `text`, or `progress` if the text is empty. */
export function textDelta(text: string): ModelDelta {
  return text === "" ? { type: "progress" } : { type: "text", text };
}

/** A language model, independent of the wire format of its provider. */
export interface Model {
  /** The id of the model, `provider/name`. A model with fallbacks returns the id of the model in use. */
  readonly id: string;
  /**
   * Streams one reply: yields deltas and returns the complete reply. Throws ModelError if the provider refuses or fails.
   * After a cancel, closes the connection and throws `signal.reason`. Does not retry. `subject` names the caller in the
   * service log.
   */
  generate(
    request: ModelRequest,
    options: { signal: AbortSignal; subject?: { execution: number; agent: string } },
  ): AsyncGenerator<ModelDelta, ModelReply, void>;
}

/** Error: a model call failed. `message` can be shown to people: it names the provider and never contains a key. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** True if the same call may succeed later: after connection errors, status 408, 409, 429 or 5xx, and broken streams. */
  readonly retryable: boolean;
  /** The HTTP status of the answer; undefined without an answer. */
  readonly status: number | undefined;
  /** The wait that the provider requested, in milliseconds; undefined if it requested none. */
  readonly retryAfterMs: number | undefined;
  /** True if the provider may have processed the call, and may charge for it. */
  readonly mayBeBilled: boolean;
  /**
   * The error codes and the error text of the provider, without the key. adaptation/refusals.ts recognizes refusals by this
   * text.
   */
  readonly providerText: string | undefined;

  constructor(
    message: string,
    options: {
      retryable: boolean;
      status?: number | undefined;
      retryAfterMs?: number | undefined;
      mayBeBilled?: boolean;
      providerText?: string | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.mayBeBilled = options.mayBeBilled ?? false;
    this.providerText = options.providerText;
  }

  /** Returns a copy with a remark at the end of its message. */
  withRemark(remark: string, { retryable = this.retryable } = {}): ModelError {
    const { status, retryAfterMs, providerText } = this;
    const options = { retryable, status, retryAfterMs, providerText, cause: this };
    return new ModelError(this.message + remark, options);
  }
}

/** Returns the error of a call that fails in the same way each time. */
export function refusal(message: string): ModelError {
  return new ModelError(message, { retryable: false });
}
