// A model with a scripted behavior for each call and with retries, for tests of withRetry.
import assert from "node:assert/strict";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
  type ModelRequest,
} from "../../../runtime/models/model.ts";
import { withRetry } from "../../../runtime/models/calls/retry.ts";
import { LogLines } from "../log_lines.ts";
import { settleQuickly, TestClock } from "../test_clock.ts";

/** The behavior of one model call. */
export type Attempt = (
  request: ModelRequest,
  signal: AbortSignal,
) => AsyncGenerator<ModelDelta, ModelReply, void>;

/** The reply of `answers`. */
export const REPLY: ModelReply = {
  message: { role: "assistant", content: "ok", toolCalls: [] },
  stop: "end",
  usage: null,
  reportedCostUsd: null,
};

/** A model with a scripted behavior for each call. It throws at a call beyond the script. */
export class ScriptedModel implements Model {
  readonly id = "test/m";
  readonly requests: ModelRequest[] = [];
  readonly signals: AbortSignal[] = [];
  readonly #attempts: Attempt[];

  constructor(...attempts: Attempt[]) {
    this.#attempts = attempts;
  }

  generate(
    request: ModelRequest,
    options: { signal: AbortSignal },
  ): AsyncGenerator<ModelDelta, ModelReply, void> {
    const attempt = this.#attempts[this.requests.length];
    assert.ok(attempt, "one call more than expected");
    this.requests.push(request);
    this.signals.push(options.signal);
    return attempt(request, options.signal);
  }
}

/** Yields the text `ok` and returns REPLY. */
export const answers: Attempt = async function* (): ReturnType<Attempt> {
  yield { type: "text", text: "ok" };
  return await Promise.resolve(REPLY);
};

/** Creates a call that fails, after some text if given. */
export function fails(
  message: string,
  options: { retryable?: boolean; status?: number; retryAfterMs?: number; text?: string } = {},
): Attempt {
  const { text, retryable = true, ...rest } = options;
  return async function* () {
    if (text !== undefined) yield { type: "text", text };
    await Promise.resolve();
    throw new ModelError(message, { retryable, ...rest });
  };
}

/** Creates a call that yields the texts and then waits until its signal aborts. */
export function goesSilent(...texts: string[]): Attempt {
  return async function* (_request, signal) {
    for (const text of texts) yield { type: "text", text };
    await new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    );
    return REPLY;
  };
}

/** A scripted model with retries, and its clock and log. */
export interface RetryWorld {
  clock: TestClock;
  log: LogLines;
  inner: ScriptedModel;
  model: Model;
}

/** Creates a scripted model with retries. */
export function retryWorld(attempts: Attempt[], timeoutMs = 300_000, random = 0.5): RetryWorld {
  const clock = new TestClock();
  clock.settle = settleQuickly;
  const log = new LogLines();
  const inner = new ScriptedModel(...attempts);
  const model = withRetry(inner, { clock, timeoutMs, log, random: () => random });
  return { clock, log, inner, model };
}
