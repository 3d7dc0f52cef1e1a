// Adds retries to a model: repeats failed calls, limits the time of a reply, and detects streams that have stalled.
import type { Context } from "../../config/context.ts";
import { backoffMs } from "../../../base/backoff.ts";
import { untilAborted } from "../../../base/bounded_wait.ts";
import { formatDuration } from "../../../base/durations.ts";
import {
  Adaptation,
  type AdaptationOptions,
  type AdaptedRequest,
} from "../adaptation/adaptation.ts";
import { KnownLimits } from "../adaptation/known_limits.ts";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
  type ModelRequest,
} from "../model.ts";
import { Countdown } from "./countdown.ts";
import type { RateGate } from "./rate_gate.ts";
import type { FifoSemaphore, QueuePlace } from "../fifo_semaphore.ts";
import { lazyModule } from "../../../base/lazy_module.ts";

const loadRefusals = lazyModule(() => import("../adaptation/refusals.ts"));

/** The limits of retries and the collaborators of `withRetry`. */
export interface RetryOptions extends Pick<Context, "clock" | "log">, Partial<AdaptationOptions> {
  /** The maximum time of one reply including retries, without the waits in `queue`, in milliseconds. */
  timeoutMs: number;
  /** The queue of all calls; absent if the calls are not limited. */
  queue?: FifoSemaphore;
  /** The gate of all calls with the same key; absent if pauses of other calls do not matter. */
  rates?: RateGate;
  /**
   * Returns the maximum wait for another attempt in milliseconds, because another model could be called instead. Absent:
   * the timeout is the only limit.
   */
  longestWaitMs?: () => number;
  /** True if a transient failure is not retried, for callers that need the failure immediately. */
  isOnce?: true;
  /** Returns a number from 0 to below 1, for the jitter of the waits. Default: Math.random. */
  random?: () => number;
}

/** Error: the model did not finish its reply within the timeout. */
export class ReplyTimeout extends Error {
  override readonly name = "ReplyTimeout";

  constructor(timeoutMs: number) {
    super(`Timeout after ${timeoutMs / 1_000}s`);
  }
}

/**
 * The abort reason at the end of each attempt, even of a successful one. All attempts share it, because creating an error
 * for each reply would be wasteful.
 */
const NOT_WANTED = new DOMException("The reply is not wanted any more", "AbortError");

type CallSubject = Parameters<Model["generate"]>[1]["subject"];

const QUEUED = "Waits for other model calls: as many run as max_concurrent_runs allows";
const MAX_ATTEMPTS = 4;
const WAITS = { firstMs: 1_000, longestMs: Infinity };

/**
 * Returns a model that makes up to four attempts for one reply. Between attempts it waits exponentially with jitter, or as
 * long as `Retry-After` asks. If the endpoint refuses a part of the request, it sends a changed request (adaptation/),
 * which does not count as an attempt. A `restart` delta voids the text of a failed attempt.
 *
 * `generate` throws ReplyTimeout at the timeout, the last ModelError after the last attempt, and `signal.reason` after a
 * cancel. It closes the connection in each case.
 */
export function withRetry(model: Model, options: RetryOptions): Model {
  return new RetryingModel(model, options);
}

/**
 * The maximum time between two deltas. Before the first delta only the timeout of the reply applies, because some models
 * send nothing for minutes while they think.
 */
export const STALL_MS = 120_000;

class RetryingModel implements Model {
  readonly id: string;
  readonly #model: Model;
  readonly #options: RetryOptions;
  readonly #adaptation: Adaptation;

  constructor(model: Model, options: RetryOptions) {
    this.id = model.id;
    this.#model = model;
    this.#options = options;
    this.#adaptation = new Adaptation({ limits: new KnownLimits(), ...options });
  }

  async *generate(
    request: ModelRequest,
    options: Parameters<Model["generate"]>[1],
  ): AsyncGenerator<ModelDelta, ModelReply, void> {
    const { subject } = options;
    options.signal.throwIfAborted();
    const { clock, timeoutMs, queue, rates, log } = this.#options;
    const ticket = rates?.takeTicket() ?? 0;
    using place = queue?.join();
    let isLogged = false;
    const takePlace = async (signal: AbortSignal) => {
      signal.throwIfAborted();
      if (place?.mustWait && !isLogged) {
        isLogged = true;
        log.write("info", "Model call waits: as many run as max_concurrent_runs allows", {
          ...subject,
          model: this.id,
          running: queue?.held,
          ahead: queue?.waiting,
        });
      }
      await place?.take(signal);
    };
    yield* this.#enter({ ticket, place, takePlace, signal: options.signal });
    const reason = () => new ReplyTimeout(timeoutMs);
    const limit = new Countdown({ clock, limitMs: timeoutMs, reason });
    limit.resume();
    const signal = AbortSignal.any([options.signal, limit.signal]);
    try {
      let adapted = await this.#adaptation.prepare(request);
      for (let attempt = 1;; attempt++) {
        const progress = { hasText: false };
        const notice = this.#adaptation.noticeOf(adapted);
        if (notice !== undefined) yield notice;
        try {
          while (attempt > 1) {
            if (rates?.mustWait) place?.leave();
            await rates?.waitForTurn(ticket, signal);
            limit.pause();
            await takePlace(signal);
            limit.resume();
            // While the call waited for its place, another pause may have begun.
            if (rates === undefined || rates.waitMs === 0) break;
          }
          const reply = yield* this.#attempt(adapted, { signal, subject, progress });
          this.#adaptation.recordReply(adapted, reply);
          return reply;
        } catch (error) {
          if (!(error instanceof ModelError) || signal.aborted) throw error;
          const other = await this.#adaptation.retry(adapted, error);
          if (other !== undefined) {
            attempt--;
            adapted = other;
            const fields = { ...subject, model: this.id, error: error.message };
            const limits = this.#adaptation.describeLimits();
            log.write("info", `Retry after a refusal: ${limits}`, fields);
          } else {
            const { concernsAccount } = await loadRefusals();
            const ofAccount = concernsAccount(error, this.id);
            const { retryAfterMs } = error;
            if (retryAfterMs !== undefined) rates?.pause(retryAfterMs, this.id, { ofAccount });
            const waitMs = this.#waitAfter(error, { attempt, leftMs: limit.leftMs, subject });
            yield { type: "notice", level: "warn", text: describeWait(error, { attempt, waitMs }) };
            place?.leave();
            // After a rate limit the call waits at the gate, where it keeps its position.
            const isPause = error.status === 429 || retryAfterMs !== undefined;
            if (isPause && rates !== undefined) rates.pause(waitMs, this.id, { ofAccount });
            else await clock.sleep(waitMs, signal);
          }
          if (progress.hasText) yield { type: "restart" };
        }
      }
    } finally {
      await limit.end();
    }
  }

  /**
   * Waits until the provider's pause is over and the call holds its place in the queue. During the pause it holds no place,
   * so that calls of other models can run. These waits do not count toward the timeout of the reply.
   */
  async *#enter(
    { ticket, place, takePlace, signal }: {
      ticket: number;
      place: QueuePlace | undefined;
      takePlace: (signal: AbortSignal) => Promise<void>;
      signal: AbortSignal;
    },
  ): AsyncGenerator<ModelDelta, void, void> {
    const { timeoutMs, rates, longestWaitMs = () => Infinity } = this.#options;
    do {
      if (rates?.mustWait) {
        // If the pause is longer than the timeout, the call fails at once.
        if (rates.waitMs >= Math.min(timeoutMs, longestWaitMs())) {
          throw tooLongPause(this.id, rates.waitMs, timeoutMs);
        }
        place?.leave();
        yield { type: "notice", level: "info", text: describePause(rates.waitMs) };
        await rates.waitForTurn(ticket, signal);
      }
      if (place?.mustWait) yield { type: "notice", level: "info", text: QUEUED };
      await takePlace(signal);
      // While the call waited for its place, another pause may have begun.
    } while (rates !== undefined && rates.waitMs > 0);
  }

  /** Makes one attempt and aborts it if the stream stalls. Always closes the connection. */
  async *#attempt(
    adapted: AdaptedRequest,
    options: { signal: AbortSignal; subject: CallSubject; progress: { hasText: boolean } },
  ): AsyncGenerator<ModelDelta, ModelReply, void> {
    const stall = new Countdown({
      clock: this.#options.clock,
      limitMs: STALL_MS,
      reason: () => stalled(this.id),
    });
    const over = new AbortController();
    const signal = AbortSignal.any([options.signal, stall.signal, over.signal]);
    const stream = this.#model.generate(
      this.#adaptation.toSend(adapted),
      { signal, ...(options.subject && { subject: options.subject }) },
    );
    try {
      for (;;) {
        const step = await untilAborted(stream.next(), signal);
        if (step.done) return step.value;
        if (step.value.type === "text") options.progress.hasText = true;
        // Only the time during which the reader waits for the stream counts, so that a slow reader is no stall.
        stall.pause({ forget: true });
        yield step.value;
        stall.resume();
      }
    } finally {
      const aborted = signal.aborted;
      over.abort(NOT_WANTED);
      const closed = stream[Symbol.asyncDispose]();
      // The closing of an aborted stream is not awaited, because the stream may ignore its signal. Its late failure does
      // not matter.
      if (aborted) closed.then(() => {}, () => {});
      else await closed;
      await stall.end();
    }
  }

  /** Returns the milliseconds until the next attempt. Throws the error if there is no further attempt. */
  #waitAfter(
    error: ModelError,
    at: { attempt: number; leftMs: number; subject: CallSubject },
  ): number {
    const { log, random = Math.random, timeoutMs, longestWaitMs } = this.#options;
    const { attempt, leftMs, subject } = at;
    if (!error.retryable || this.#options.isOnce) throw error;
    if (attempt >= MAX_ATTEMPTS) throw error.withRemark(` (after ${MAX_ATTEMPTS} attempts)`);
    const backoff = backoffMs(attempt, WAITS) * (0.75 + random() / 2);
    const waitMs = Math.round(error.retryAfterMs ?? backoff);
    if (waitMs >= leftMs) {
      const wanted = error.retryAfterMs === undefined ? "another attempt" : formatDuration(waitMs);
      throw error.withRemark(
        ` (no time for ${wanted} within the timeout of ${timeoutMs / 1_000}s)`,
      );
    }
    if (longestWaitMs !== undefined && waitMs > longestWaitMs()) {
      throw error.withRemark(` (the next attempt would be in ${formatDuration(waitMs)})`);
    }
    log.write("warn", "Model call failed; trying again", {
      ...subject,
      model: this.id,
      attempt,
      of: MAX_ATTEMPTS,
      wait: formatDuration(waitMs),
      error: error.message,
    });
    return waitMs;
  }
}

/** Returns a notice about the wait for the next attempt, for people who watch the run. */
function describeWait(error: ModelError, at: { attempt: number; waitMs: number }): string {
  const { attempt, waitMs } = at;
  const reason = error.status === 429 ? "The rate limit is reached" : "The model call failed";
  const next = `attempt ${attempt + 1} of ${MAX_ATTEMPTS}`;
  return `${reason}: ${next} in ${formatDuration(waitMs)} (${error.message})`;
}

function stalled(model: string): ModelError {
  const silence = `nothing came for ${STALL_MS / 1_000}s`;
  return new ModelError(`${model} stopped in the middle of its reply: ${silence}`, {
    retryable: true,
  });
}

/** Returns a notice about the wait before the first attempt. */
function describePause(waitMs: number): string {
  const wait = waitMs > 0 ? ` for ${formatDuration(waitMs)}` : "";
  return `Waits${wait}: the provider's rate limit is reached`;
}

function tooLongPause(model: string, waitMs: number, timeoutMs: number): ModelError {
  const limit = waitMs < timeoutMs ? "" : `, more than the timeout of ${timeoutMs / 1_000}s`;
  return new ModelError(
    `${model} cannot be called: the provider asks to wait ${formatDuration(waitMs)}${limit}`,
    { retryable: true, status: 429 },
  );
}
