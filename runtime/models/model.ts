// The interface of a language model. Adapters only translate: decorators add retry, timeout, pricing and limits.
import type { JsonSchema } from "../../base/json.ts";
import type { ToolDescription } from "../vocabulary/tool_vocabulary.ts";
import type { AssistantMessage, Message, StopReason } from "./message.ts";

export type { StopReason } from "./message.ts";

/** One request to a model. The system message, if any, is the first message. */
export interface ModelRequest {
  messages: readonly Message[];
  tools: readonly ToolDescription[];
  /** Undefined: the provider's default applies. Some models refuse any value. */
  temperature: number | undefined;
  /** The maximum number of tokens in the reply. */
  maxTokens: number;
  /** The schema of the answer; absent: the answer may be any text. */
  schema?: JsonSchema;
  /**
   * Request parts that the endpoint has refused (names: adaptation/known_limits.ts). Adapters omit them from the request.
   */
  refused?: ReadonlySet<string>;
}

/** Token counts of one reply. `inputTokens` includes the cached tokens. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** Input tokens read from the provider's cache; part of `inputTokens`. */
  cacheReadTokens: number;
  /** Input tokens written to the provider's cache; part of `inputTokens`. */
  cacheWriteTokens: number;
}

/** One complete reply. */
export interface ModelReply {
  message: AssistantMessage;
  stop: StopReason;
  /** Null if the endpoint reports none. */
  usage: Usage | null;
  /** The cost in US dollars that the endpoint itself reported; null if it reported none. */
  reportedCostUsd: number | null;
}

/**
 * An event of a reply that streams. `text` is a piece of its text, `progress` an event without text, `usage` the running total
 * of the provider. `restart` voids all text and counts so far. `notice` is a sentence for people, such as the reason for a wait.
 */
export type ModelDelta =
  | { type: "text"; text: string }
  | { type: "progress" }
  | { type: "usage"; usage: Usage }
  | { type: "restart" }
  | { type: "notice"; level: "info" | "warn"; text: string };

/** Returns the delta of a chunk: `text`, or `progress` if the text is empty. */
export function textDelta(text: string): ModelDelta {
  return text === "" ? { type: "progress" } : { type: "text", text };
}

/** A language model, independent of the wire format of its provider. */
export interface Model {
  /** `provider/name`. A model with fallbacks returns the id of the model in use. */
  readonly id: string;
  /**
   * Streams one reply: yields deltas and returns the complete reply. Throws ModelError if the provider refuses or fails. When
   * cancelled, it closes the connection and rethrows `signal.reason`. Never retries by itself. `subject` is the caller, for
   * the service log.
   */
  generate(
    request: ModelRequest,
    options: { signal: AbortSignal; subject?: { execution: number; agent: string } },
  ): AsyncGenerator<ModelDelta, ModelReply, void>;
}

/** A model call that failed. `message` is safe to show: it names the provider and never holds a key. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** True: the same call may succeed later. Set for connection errors, 408, 409, 429, 5xx and streams that broke off. */
  readonly retryable: boolean;
  /** The HTTP status, if there was one. */
  readonly status: number | undefined;
  /** The wait that the provider asked for with `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  /** True: the provider may have processed the call, and may bill it. */
  readonly mayBeBilled: boolean;
  /** The provider's error codes and text, without the key. adaptation/refusals.ts recognizes refusals by it. */
  readonly providerText: string | undefined;

  constructor(
    message: string,
    options: {
      retryable: boolean;
      status?: number;
      retryAfterMs?: number;
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
}
