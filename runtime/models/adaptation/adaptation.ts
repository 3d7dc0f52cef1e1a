// Adapts a request to its endpoint: removes parts that the endpoint refused before, and shortens long conversations.
import { lazyModule } from "../../../base/lazy_module.ts";
import type { Media } from "../../vocabulary/tool_vocabulary.ts";
import { removeMedia } from "./accepted_media.ts";
import { type KnownLimits, withoutRefused } from "./known_limits.ts";
import type { ModelDelta, ModelError, ModelReply, ModelRequest } from "../model.ts";
import { estimateInputTokens, estimateMessageTokens } from "../token_estimate.ts";
import { TOOLS_REMEDY } from "../tool_limit.ts";

const loadRefusals = lazyModule(() => import("./refusals.ts"));
const loadFitConversation = lazyModule(() => import("./fit_conversation.ts"));

/** The smallest context window of any model, in tokens. The length of shorter requests is not checked. */
const SMALLEST_WINDOW = 2_000;
/** The sizes to try after a conversation was refused as too long, as fractions of the refused size. */
const PARTS = [0.7, 0.5, 0.25];
/**
 * The ratio of real to estimated tokens: the value before the first reply, and the minimum. Both are low, so that more of a
 * conversation is sent.
 */
const FIRST_RATIO = 0.8;
const LEAST_RATIO = 0.5;

type Notice = Extract<ModelDelta, { type: "notice" }>;

/** The known limits of a model. */
export interface AdaptationOptions {
  limits: KnownLimits;
  /**
   * Returns the context window in tokens, or undefined if it is unknown. `isGiven` is true if the agent's settings name it.
   */
  window?: (() => Promise<{ tokens: number; isGiven: boolean } | undefined>) | undefined;
  /** Returns true if the model accepts this kind of media. Absent: the model accepts all. */
  accepts?: ((kind: Media["kind"]) => boolean) | undefined;
}

/** Adapts the requests of one run to the limits of one model. */
export class Adaptation {
  readonly #limits: KnownLimits;
  readonly #window: AdaptationOptions["window"];
  readonly #accepts: AdaptationOptions["accepts"];
  /** The kinds of media that are no longer sent in this run, because the endpoint refused a file of this kind as broken. */
  readonly #broken = new Set<string>();
  #ratio = FIRST_RATIO;
  #lastNotice = "";

  constructor({ limits, window, accepts }: AdaptationOptions) {
    this.#limits = limits;
    this.#window = window;
    this.#accepts = accepts;
  }

  /** Returns the adapted form of a request. Shortens it if known limits show that it is too long. */
  async prepare(request: ModelRequest): Promise<AdaptedRequest> {
    const tokens = estimateInputTokens(request);
    const adapted = { original: request, request, tokens, tries: 0 };
    if (tokens < SMALLEST_WINDOW) return adapted;
    const { shortestRefused, longestAccepted } = this.#limits;
    const known = await this.#known();
    const room = Math.min(
      known === undefined ? Infinity : roomIn(known, request) / this.#ratio,
      tokens < shortestRefused ? Infinity : Math.max(longestAccepted, shortestRefused * 0.25),
    );
    return tokens <= room ? adapted : await this.#shorten(adapted, Math.floor(room * 0.95));
  }

  /** Returns the request to send: the adapted request without refused parts and media. */
  toSend({ request }: AdaptedRequest): ModelRequest {
    const isAccepted = (kind: Media["kind"]) =>
      !this.#broken.has(kind) && !this.#limits.refused.has(kind) && (this.#accepts?.(kind) ?? true);
    return withoutRefused(removeMedia(request, isAccepted), this.#limits);
  }

  /**
   * Returns a changed request for another attempt if the failure was a refusal that a change may avoid; otherwise
   * undefined. Throws if no change can help.
   */
  async retry(
    adapted: AdaptedRequest,
    error: ModelError,
  ): Promise<AdaptedRequest | undefined> {
    const { recognizeRefusal } = await loadRefusals();
    const refusal = recognizeRefusal(error, this.toSend(adapted), this.#limits);
    if (refusal === undefined) return undefined;
    if (refusal.kind === "too_many_tools") throw withRemedy(error, TOOLS_REMEDY);
    if (refusal.kind === "parts") {
      const refused = refusal.isBroken ? this.#broken : this.#limits.refused;
      for (const name of refusal.names) refused.add(name);
      return adapted;
    }
    const part = PARTS[adapted.tries];
    const { limit } = refusal;
    this.#limits.shortestRefused = Math.min(this.#limits.shortestRefused, adapted.tokens);
    if (limit !== undefined) this.#limits.window = limit;
    const known = limit ?? Infinity;
    const room = Math.min(adapted.tokens, roomIn(known, adapted.request)) * (part ?? 0);
    const shorter = part === undefined ? adapted : await this.#shorten(adapted, Math.floor(room));
    if (shorter.tokens < adapted.tokens) return { ...shorter, tries: adapted.tries + 1 };
    throw withRemedy(error, LENGTH_REMEDY);
  }

  /** Returns a description of the known limits of the endpoint, for the end of a sentence. */
  describeLimits(): string {
    return this.#limits.describe().join("; ");
  }

  /** Records the token counts of a reply, which show the real size of its request. */
  recordReply({ tokens }: AdaptedRequest, { usage }: Pick<ModelReply, "usage">): void {
    if (tokens < SMALLEST_WINDOW) return;
    const limits = this.#limits;
    if (limits.shortestRefused < Infinity && tokens < limits.shortestRefused) {
      limits.longestAccepted = Math.max(limits.longestAccepted, tokens);
    }
    if (usage !== null && usage.inputTokens > 0) {
      this.#ratio = Math.max(LEAST_RATIO, usage.inputTokens / tokens);
    }
  }

  /**
   * Returns a notice to people that the request was shortened. Returns undefined without a change, or if the last notice
   * was the same.
   */
  noticeOf({ changes }: AdaptedRequest): Notice | undefined {
    if (changes === undefined || changes === this.#lastNotice) return undefined;
    this.#lastNotice = changes;
    const text = `The conversation is too long for the model's context window (${changes})`;
    return { type: "notice", level: "warn", text };
  }

  async #known(): Promise<number | undefined> {
    const known = await this.#window?.();
    if (known?.isGiven) return known.tokens;
    return this.#limits.window ?? known?.tokens;
  }

  /** Shortens the original conversation to `room` tokens. The result may contain parts that an earlier attempt left out. */
  async #shorten(adapted: AdaptedRequest, room: number): Promise<AdaptedRequest> {
    const { fitConversation } = await loadFitConversation();
    const { original } = adapted;
    const ofMessages = original.messages.reduce((sum, one) => sum + estimateMessageTokens(one), 0);
    const beside = estimateInputTokens(original) - ofMessages;
    const { messages, tokens, changes } = fitConversation(original.messages, room - beside);
    if (changes === "") return adapted;
    return {
      ...adapted,
      request: { ...original, messages },
      tokens: Math.ceil(tokens + beside),
      changes,
    };
  }
}

/** A request and its adapted form. */
export interface AdaptedRequest {
  /** The original request. */
  original: ModelRequest;
  request: ModelRequest;
  /** The estimated input tokens. */
  tokens: number;
  /** The number of times that the request was refused as too long and shortened. */
  tries: number;
  /** A description of the omitted parts; absent if nothing was omitted. */
  changes?: string;
}

/**
 * Returns the tokens of a context window that are available for the request: the window without the maximum reply, but at
 * least half.
 */
function roomIn(window: number, { maxTokens }: ModelRequest): number {
  return Math.max(window - maxTokens, window / 2);
}

const LENGTH_REMEDY =
  "even the shortened conversation does not fit into the model's context window: " +
  "lower history or settings.max_tokens, let the agent read less at once, or set model.context_window";

function withRemedy(error: ModelError, remedy: string): ModelError {
  return error.withRemark(`; ${remedy}`, { retryable: false });
}
