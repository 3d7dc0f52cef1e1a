// Adapts a request to its endpoint: removes parts that the endpoint refused before, and shortens long conversations.
import { lazyModule } from "../../../base/lazy_module.ts";
import type { Media } from "../../tool_vocabulary.ts";
import { withoutMedia } from "./taken_media.ts";
import { type Learned, withoutRefused } from "./learned.ts";
import { type ModelDelta, ModelError, type ModelReply, type ModelRequest } from "../model.ts";
import { estimateInputTokens, estimateMessageTokens } from "../token_estimate.ts";
import { TOOLS_REMEDY } from "../tool_limit.ts";

const loadRefusals = lazyModule(() => import("./refusals.ts"));
const loadFitConversation = lazyModule(() => import("./fit_conversation.ts"));

/** The smallest context window of any model. Shorter requests are not checked. */
const SMALLEST_WINDOW = 2_000;
/** The sizes to try after a refusal, as fractions of the refused size. */
const PARTS = [0.7, 0.5, 0.25];
/** Real tokens for each estimated token: the value before the first reply, and the minimum. Both are low to keep more of the conversation. */
const FIRST_RATIO = 0.8;
const LEAST_RATIO = 0.5;

type Notice = Extract<ModelDelta, { type: "notice" }>;

/** The known limits of a model. */
export interface AdaptationOptions {
  learned: Learned;
  /** Returns the context window in tokens, if it is known; `isGiven`: from the agent's settings. */
  window?: (() => Promise<{ tokens: number; isGiven: boolean } | undefined>) | undefined;
  /** Reports if the model accepts pictures or PDF files. Absent: it accepts both. */
  takes?: ((kind: Media["kind"]) => boolean) | undefined;
}

/** Adapts the requests of one run to one model. */
export class Adaptation {
  readonly #learned: Learned;
  readonly #window: AdaptationOptions["window"];
  readonly #takes: AdaptationOptions["takes"];
  /** The kinds of media of which this run has a broken file. */
  readonly #broken = new Set<string>();
  #ratio = FIRST_RATIO;
  #told = "";

  constructor({ learned, window, takes }: AdaptationOptions) {
    this.#learned = learned;
    this.#window = window;
    this.#takes = takes;
  }

  /** Prepares a request. Shortens it if it is certainly too long. */
  async open(request: ModelRequest): Promise<AdaptedRequest> {
    const tokens = estimateInputTokens(request);
    const adapted = { whole: request, request, tokens, tries: 0 };
    if (tokens < SMALLEST_WINDOW) return adapted;
    const { tooLong, fitting } = this.#learned;
    const known = await this.#known();
    const room = Math.min(
      known === undefined ? Infinity : roomIn(known, request) / this.#ratio,
      tokens < tooLong ? Infinity : Math.max(fitting, tooLong * 0.25),
    );
    return tokens <= room ? adapted : await this.#shorten(adapted, Math.floor(room * 0.95));
  }

  /** Returns the request to send, without refused parts and media. */
  toSend({ request }: AdaptedRequest): ModelRequest {
    const isTaken = (kind: Media["kind"]) =>
      !this.#broken.has(kind) && !this.#learned.refused.has(kind) && (this.#takes?.(kind) ?? true);
    return withoutRefused(withoutMedia(request, isTaken), this.#learned);
  }

  /** Returns the changed request for another attempt if that may avoid the failure; undefined for other failures. */
  async retry(
    adapted: AdaptedRequest,
    error: ModelError,
  ): Promise<AdaptedRequest | undefined> {
    const { recognize } = await loadRefusals();
    const refusal = recognize(error, this.toSend(adapted), this.#learned);
    if (refusal === undefined) return undefined;
    if (refusal.kind === "too_many_tools") throw withRemedy(error, TOOLS_REMEDY);
    if (refusal.kind === "parts") {
      const refused = refusal.isBroken ? this.#broken : this.#learned.refused;
      for (const name of refusal.names) refused.add(name);
      return adapted;
    }
    const part = PARTS[adapted.tries];
    const { limit } = refusal;
    this.#learned.tooLong = Math.min(this.#learned.tooLong, adapted.tokens);
    if (limit !== undefined) this.#learned.window = limit;
    const known = limit ?? Infinity;
    const room = Math.min(adapted.tokens, roomIn(known, adapted.request)) * (part ?? 0);
    const shorter = part === undefined ? adapted : await this.#shorten(adapted, Math.floor(room));
    if (shorter.tokens < adapted.tokens) return { ...shorter, tries: adapted.tries + 1 };
    throw withRemedy(error, LENGTH_REMEDY);
  }

  /** Describes the known limits of the endpoint, as the end of a sentence. */
  lessons(): string {
    return this.#learned.describe().join("; ");
  }

  /** Records a reply, which shows the real size of its request. */
  succeeded({ tokens }: AdaptedRequest, { usage }: Pick<ModelReply, "usage">): void {
    if (tokens < SMALLEST_WINDOW) return;
    const learned = this.#learned;
    if (learned.tooLong < Infinity && tokens < learned.tooLong) {
      learned.fitting = Math.max(learned.fitting, tokens);
    }
    if (usage !== null && usage.inputTokens > 0) {
      this.#ratio = Math.max(LEAST_RATIO, usage.inputTokens / tokens);
    }
  }

  /** Returns the notice for people about a shortened request. Repeats no notice. */
  noticeOf({ done }: AdaptedRequest): Notice | undefined {
    if (done === undefined || done === this.#told) return undefined;
    this.#told = done;
    const text = `The conversation is too long for the model's context window (${done})`;
    return { type: "notice", level: "warn", text };
  }

  async #known(): Promise<number | undefined> {
    const known = await this.#window?.();
    if (known?.isGiven) return known.tokens;
    return this.#learned.window ?? known?.tokens;
  }

  /** Shortens the original conversation, so that it may keep a part that an earlier attempt left out. */
  async #shorten(adapted: AdaptedRequest, room: number): Promise<AdaptedRequest> {
    const { fitConversation } = await loadFitConversation();
    const { whole } = adapted;
    const ofMessages = whole.messages.reduce((sum, one) => sum + estimateMessageTokens(one), 0);
    const beside = estimateInputTokens(whole) - ofMessages;
    const { messages, tokens, done } = fitConversation(whole.messages, room - beside);
    if (done === "") return adapted;
    return {
      ...adapted,
      request: { ...whole, messages },
      tokens: Math.ceil(tokens + beside),
      done,
    };
  }
}

/** A request and its adapted form. */
export interface AdaptedRequest {
  /** The original request. */
  whole: ModelRequest;
  request: ModelRequest;
  /** The estimated input tokens. */
  tokens: number;
  /** The number of refusals after which it was shortened. */
  tries: number;
  /** The omitted parts, as a text for people. Absent: nothing was omitted. */
  done?: string;
}

/** Returns the tokens of a window without the part that is reserved for the reply. */
function roomIn(window: number, { maxTokens }: ModelRequest): number {
  return Math.max(window - maxTokens, window / 2);
}

const LENGTH_REMEDY =
  "the conversation does not fit into the model's context window, however short: " +
  "lower history or settings.max_tokens, let the agent read less at once, or set model.context_window";
function withRemedy({ message, status, told }: ModelError, remedy: string): ModelError {
  return new ModelError(`${message}; ${remedy}`, {
    retryable: false,
    told,
    ...(status !== undefined && { status }),
  });
}
