// Serves a Chat Completions endpoint for all agents of the soak. The model's name selects the replies. A part of the
// replies has a random fault.
import { CHAT_COMPLETIONS } from "../../../tests/support/models/openai_server.ts";
import type { ModelStep } from "../../../tests/support/models/model_server.ts";
import { usageMark } from "../invariants/figures.ts";
import { planReply, type Reply } from "./model_roles.ts";
import type { Chance } from "../chance.ts";
import { sleep } from "../sleep.ts";

/** The relative frequency of each fault of a reply. */
const FAULTS = {
  none: 0.87,
  too_many: 0.025,
  server_error: 0.02,
  cut: 0.02,
  end: 0.01,
  drip: 0.03,
  stall: 0.002,
  silent: 0.002,
  no_usage: 0.01,
  length: 0.003,
  empty: 0.003,
  refused: 0.003,
  huge: 0.002,
} as const;

const THINKING_MS = 25;
const DRIP_MS = 40;
/** The duration of a silent reply, longer than any agent of the soak waits. */
const SILENCE_MS = 20_000;
const HUGE = 150_000;
/**
 * The tolerated time with too many open calls. The service starts the next call as soon as one is cancelled, and this
 * endpoint notices the cancellation later.
 */
const OVERLAP_MS = 1_500;

/** The options of the endpoint. */
export interface FlakyModelOptions {
  chance: Chance;
  /** The address to which the calls of `http_request` post their tokens. */
  effectsUrl: string;
  /** The maximum number of open calls that the service may have. */
  limit: number;
  isFlaky: boolean;
  /** The maximum delay of a reply, in milliseconds. */
  thinkingMs?: number;
}

/** A running endpoint, and a record of its requests. */
export class FlakyModel implements AsyncDisposable {
  readonly faults = new Map<string, number>();
  /** The periods in which more calls than the limit were open for longer than OVERLAP_MS. */
  readonly overloads: { at: string; open: number; ms: number }[] = [];
  requests = 0;
  readonly #options: FlakyModelOptions;
  /** The maximum delay of a reply, in milliseconds. */
  thinkingMs: number;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #sending = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #open = 0;
  #overSince: number | undefined;
  #tokens = 0;

  constructor(options: FlakyModelOptions) {
    this.#options = options;
    this.thinkingMs = options.thinkingMs ?? THINKING_MS;
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      (request) => this.#answer(request),
    );
  }

  /** The endpoint's address, for an agent's `base_url`. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#server.shutdown();
    // `shutdown` does not wait for responses whose caller has disconnected.
    await Promise.allSettled(this.#sending);
  }

  #track(sending: Promise<void>): Promise<void> {
    this.#sending.add(sending);
    const forget = () => void this.#sending.delete(sending);
    sending.then(forget, forget);
    return sending;
  }

  async #answer(request: Request): Promise<Response> {
    const { chance } = this.#options;
    const body = await request.json();
    this.requests++;
    const fault = this.#options.isFlaky ? chance.weighted(FAULTS) : "none";
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
    this.#count(1);
    const { promise: over, resolve } = Promise.withResolvers<void>();
    void over.then(() => this.#count(-1));
    if (fault === "too_many") {
      return refusal(resolve, 429, { "retry-after": String(chance.between(0, 2)) });
    }
    if (fault === "server_error") return refusal(resolve, chance.one([500, 502, 503, 529]));
    if (fault === "refused") return refusal(resolve, 400);
    if (fault === "silent") {
      // A silent call does not count as open, because the endpoint cannot notice when the caller gives up.
      resolve();
      await sleep(SILENCE_MS, this.#closing.signal);
      return refusal(resolve, 503);
    }
    const reply = planReply(body, {
      chance,
      effectsUrl: this.#options.effectsUrl,
      token: () => `${chance.between(0, 0xffffff).toString(16)}n${++this.#tokens}`,
    });
    const step = this.#toStep(reply, fault);
    const pieces = CHAT_COMPLETIONS.write(step);
    return new Response(this.#stream(pieces, { step, fault, over, resolve }), {
      headers: {
        "content-type": CHAT_COMPLETIONS.contentType,
        // The body is shorter than this length, so the caller sees a connection that breaks in the middle of the reply.
        ...(fault === "cut" && { "content-length": "100000000" }),
      },
    });
  }

  #toStep(reply: Reply, fault: keyof typeof FAULTS): ModelStep {
    const { chance } = this.#options;
    const input = chance.between(20, 900);
    const output = chance.between(1, 300);
    const cost = chance.is(0.7) ? (input + 4 * output) / 1_000_000 : null;
    const hasUsage = fault !== "no_usage";
    const mark = hasUsage
      ? usageMark({ input, output, cost })
      : usageMark({ input: 0, output: 0, cost: null });
    const said = fault === "huge" ? "much ".repeat(HUGE / 5) : reply.text;
    const words = `${mark} ${said}`.match(/[\s\S]{1,6000}/g) ?? [];
    return {
      text: fault === "empty"
        ? ""
        : fault === "drip"
        ? `${mark} ${reply.text}`.split(/(?= )/)
        : words,
      ...(reply.calls.length > 0 && fault !== "empty" && { toolCalls: reply.calls }),
      ...(fault === "length" && { finish: "length" }),
      usage: hasUsage && fault !== "empty"
        ? {
          prompt_tokens: input,
          completion_tokens: output,
          total_tokens: input + output,
          ...(cost !== null && { cost }),
        }
        : null,
      ...(fault === "cut" && { then: "cut" as const }),
      ...(fault === "end" && { then: "end" as const }),
      ...(fault === "stall" && { then: "hang" as const }),
    };
  }

  #stream(
    pieces: readonly string[],
    { step, fault, over, resolve }: {
      step: ModelStep;
      fault: string;
      over: Promise<void>;
      resolve: () => void;
    },
  ): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    const thinking = this.#options.chance.between(0, this.thinkingMs);
    let isGone = false;
    void over.then(() => isGone = true);
    const send = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      await sleep(thinking);
      for (const piece of pieces) {
        if (isGone) return;
        controller.enqueue(encoder.encode(piece));
        if (fault === "drip") await sleep(DRIP_MS);
      }
      if (step.then === "hang") await Promise.race([over, this.#closed()]);
      // Wait until the enqueued bytes are sent, before the connection breaks.
      if (step.then === "cut") await sleep(20);
      resolve();
      try {
        controller.close();
      } catch {
        // The client has disconnected, so the stream is already closed.
      }
    };
    return new ReadableStream({
      start: (controller) => this.#track(send(controller)),
      cancel: () => resolve(),
    });
  }

  #count(change: 1 | -1): void {
    this.#open += change;
    const now = performance.now();
    if (this.#open > this.#options.limit) {
      this.#overSince ??= now;
      return;
    }
    if (this.#overSince === undefined) return;
    const ms = Math.round(now - this.#overSince);
    if (ms > OVERLAP_MS) {
      this.overloads.push({ at: new Date().toISOString(), open: this.#open, ms });
    }
    this.#overSince = undefined;
  }

  #closed(): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true })
    );
  }
}

function refusal(
  resolve: () => void,
  status: number,
  headers: Record<string, string> = {},
): Response {
  resolve();
  return Response.json({ error: { message: `the endpoint says ${status}` } }, { status, headers });
}
