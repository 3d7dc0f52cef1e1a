// The port to a language model. Adapters translate and nothing else: retry, timeout, pricing and limits stand outside.
import type { JsonSchema } from "../../base/json.ts";
import type { ToolDescription } from "../tool_vocabulary.ts";
import type { AssistantMessage, Message, StopReason } from "./message.ts";

export type { StopReason } from "./message.ts";

/** One question to a model. The system message, if any, is the first message. */
export interface ModelRequest {
  messages: readonly Message[];
  tools: readonly ToolDescription[];
  /** Undefined leaves it to the provider: some models refuse any value. */
  temperature: number | undefined;
  /** The most tokens of the reply. */
  maxTokens: number;
  /** What the answer has to fit; absent: it may be any text. */
  schema?: JsonSchema;
  /** What the endpoint has refused before, in the words of adaptation/learned.ts: adapters leave it out. */
  refused?: ReadonlySet<string>;
}

/** Token counts of one reply. `inputTokens` includes the cached ones. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** Input tokens read from the provider's cache; part of `inputTokens`. */
  cacheReadTokens: number;
  /** Input tokens written to the provider's cache; part of `inputTokens`. */
  cacheWriteTokens: number;
}

/** One whole reply. */
export interface ModelReply {
  message: AssistantMessage;
  stop: StopReason;
  /** Null where the endpoint reports none. */
  usage: Usage | null;
  /** The cost in US dollars that the endpoint itself reported, else null. */
  reportedCostUsd: number | null;
}

/**
 * A sign of life while a reply streams: a piece of its text, progress that has no text, what the provider has counted by
 * now (a running total), the word that the reply begins again and all of its text and counts so far are void, or what the call
 * waits for: a sentence that may be shown.
 */
export type ModelDelta =
  | { type: "text"; text: string }
  | { type: "progress" }
  | { type: "usage"; usage: Usage }
  | { type: "restart" }
  | { type: "notice"; level: "info" | "warn"; text: string };

/** Returns the sign of life of a chunk: its text, or progress where it has none. */
export function textDelta(text: string): ModelDelta {
  return text === "" ? { type: "progress" } : { type: "text", text };
}

/** A language model, whatever its provider's wire format. */
export interface Model {
  /** `provider/name`; of a model with fallbacks, the one that is called now. */
  readonly id: string;
  /**
   * Streams one reply: yields deltas, returns the whole. Throws ModelError for what the provider refused or broke;
   * rethrows `signal.reason` when cancelled, having closed the connection. Never retries by itself. `subject`: whose call it
   * is, for the service log.
   */
  generate(
    request: ModelRequest,
    options: { signal: AbortSignal; subject?: { execution: number; agent: string } },
  ): AsyncGenerator<ModelDelta, ModelReply, void>;
}

/** A model call that failed. `message` is safe to show: it names the provider and never holds a key. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** Whether the same call may succeed later: connection errors, 408, 409, 429, 5xx, a stream cut off half-way. */
  readonly retryable: boolean;
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;
  /** What `Retry-After` asked for. */
  readonly retryAfterMs: number | undefined;
  /** Whether the provider may have worked on the call, and bill it. */
  readonly mayBeBilled: boolean;
  /** What the provider answered, its codes first and without the key: adaptation/refusals.ts recognizes refusals by it. */
  readonly told: string | undefined;

  constructor(
    message: string,
    options: {
      retryable: boolean;
      status?: number;
      retryAfterMs?: number;
      mayBeBilled?: boolean;
      told?: string | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.mayBeBilled = options.mayBeBilled ?? false;
    this.told = options.told;
  }
}
