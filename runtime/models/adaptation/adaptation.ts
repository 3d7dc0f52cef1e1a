// One request made so that its endpoint takes it: without what it refused before, and shortened where it is too long.
import { lazyModule } from "../../../base/lazy_module.ts";
import type { Media } from "../../tool_vocabulary.ts";
import { withoutMedia } from "./taken_media.ts";
import { type Learned, withoutRefused } from "./learned.ts";
import { type ModelDelta, ModelError, type ModelReply, type ModelRequest } from "../model.ts";
import { estimateInputTokens, estimateMessageTokens } from "../token_estimate.ts";
import { TOOLS_REMEDY } from "../tool_limit.ts";

const loadRefusals = lazyModule(() => import("./refusals.ts"));
const loadFitConversation = lazyModule(() => import("./fit_conversation.ts"));

/** No model's window is smaller: what is shorter is not looked at. */
const SMALLEST_WINDOW = 2_000;
/** The sizes that are tried for a conversation that was too long, as parts of the refused size. */
const PARTS = [0.7, 0.5, 0.25];
/** Tokens for each one estimated, until a reply has shown it, and at least: nothing is left out that there is room for. */
const FIRST_RATIO = 0.8;
const LEAST_RATIO = 0.5;

type Notice = Extract<ModelDelta, { type: "notice" }>;

/** The limits of a model that are known before a refusal. */
export interface AdaptationOptions {
  learned: Learned;
  /** The tokens of its context window, if that is known; `isGiven`: a person said so. */
  window?: (() => Promise<{ tokens: number; isGiven: boolean } | undefined>) | undefined;
  /** Whether the model takes pictures, or PDF files. Absent: it takes both. */
  takes?: ((kind: Media["kind"]) => boolean) | undefined;
}

/** The requests of one run to one model. */
export class Adaptation {
  readonly #learned: Learned;
  readonly #window: AdaptationOptions["window"];
  readonly #takes: AdaptationOptions["takes"];
  /** The kinds of media of which this run has something that cannot be read. */
  readonly #broken = new Set<string>();
  #ratio = FIRST_RATIO;
  #told = "";

  constructor({ learned, window, takes }: AdaptationOptions) {
    this.#learned = learned;
    this.#window = window;
    this.#takes = takes;
  }

  /** A request to be sent, shortened where it is certain to be too long. */
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

  /** The request as it is sent. */
  toSend({ request }: AdaptedRequest): ModelRequest {
    const isTaken = (kind: Media["kind"]) =>
      !this.#broken.has(kind) && !this.#learned.refused.has(kind) && (this.#takes?.(kind) ?? true);
    return withoutRefused(withoutMedia(request, isTaken), this.#learned);
  }

  /** The request for another try after a failure that another request may avoid; undefined after any other. */
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

  /** What is known of the endpoint by now, as the end of a sentence. */
  lessons(): string {
    return this.#learned.describe().join("; ");
  }

  /** Takes note of a reply. */
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

  /** What a person is told of a request that was shortened; once for the same. */
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

  /** From the whole conversation on: what a try left out, the next may keep. */
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

/** A request on its way. */
export interface AdaptedRequest {
  /** As it was asked for. */
  whole: ModelRequest;
  request: ModelRequest;
  /** Of its input, estimated. */
  tokens: number;
  /** How often it was shortened because it was refused. */
  tries: number;
  /** The omitted parts, as a text for people. */
  done?: string;
}

/** The tokens of a window that are not kept for the reply. */
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
