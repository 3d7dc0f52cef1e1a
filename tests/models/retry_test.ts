import assert from "node:assert/strict";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
  type ModelRequest,
} from "../../runtime/models/model.ts";
import { ReplyTimeout, withRetry } from "../../runtime/models/retry.ts";
import { STALL_MS } from "../../runtime/models/stall_watch.ts";
import { collectReply, modelRequest } from "../support/collect_reply.ts";
import { LogLines } from "../support/log_lines.ts";
import { TestClock } from "../support/test_clock.ts";

type Attempt = (
  request: ModelRequest,
  signal: AbortSignal,
) => AsyncGenerator<ModelDelta, ModelReply, void>;

const REPLY: ModelReply = {
  message: { role: "assistant", content: "ok", toolCalls: [] },
  stop: "end",
  usage: null,
  reportedCostUsd: null,
};

/** A model that behaves as told, call by call; one call more is an error. */
class ScriptedModel implements Model {
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

const answers: Attempt = async function* () {
  yield { type: "text", text: "ok" };
  return await Promise.resolve(REPLY);
};

function fails(
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

/** Says something and then nothing, until its signal aborts. */
function goesSilent(...texts: string[]): Attempt {
  return async function* (_request, signal) {
    for (const text of texts) yield { type: "text", text };
    await new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    );
    return REPLY;
  };
}

interface World {
  clock: TestClock;
  log: LogLines;
  inner: ScriptedModel;
  model: Model;
}

function world(attempts: Attempt[], timeoutMs = 300_000, random = 0.5): World {
  const clock = new TestClock();
  const log = new LogLines();
  const inner = new ScriptedModel(...attempts);
  const model = withRetry(inner, { clock, timeoutMs, log, random: () => random });
  return { clock, log, inner, model };
}

Deno.test("withRetry() passes a reply through and leaves nothing behind", async () => {
  const { model, clock, inner } = world([answers]);
  assert.equal(model.id, "test/m");
  const { reply, deltas } = await collectReply(model);
  assert.equal(reply, REPLY);
  assert.deepEqual(deltas, [{ type: "text", text: "ok" }]);
  assert.equal(clock.sleeping, 0);
  assert.equal(inner.requests[0]?.temperature, 0.7);
});

Deno.test("withRetry() waits 1, 2 and 4 seconds, spread by a quarter, and gives up after four attempts", async () => {
  for (const [random, factor] of [[0, 0.75], [0.5, 1], [0.999_999, 1.25]] as const) {
    const attempts = [fails("a"), fails("b"), fails("c"), fails("last", { status: 503 })];
    const { model, clock, inner, log } = world(attempts, 300_000, random);
    const ended = assert.rejects(collectReply(model), (error) => {
      assert.ok(error instanceof ModelError);
      assert.equal(error.message, "last (after 4 attempts)");
      assert.equal(error.status, 503);
      return true;
    });
    for (const [index, seconds] of [1, 2, 4].entries()) {
      await clock.advance(seconds * 1_000 * factor - 1);
      assert.equal(inner.requests.length, index + 1);
      await clock.advance(1);
      assert.equal(inner.requests.length, index + 2);
    }
    await ended;
    assert.equal(clock.sleeping, 0);
    assert.equal(log.lines.length, 3);
    assert.deepEqual(log.lines[0], {
      level: "warn",
      message: "Model call failed; trying again",
      fields: {
        model: "test/m",
        attempt: 1,
        of: 4,
        wait: factor < 1 ? "750ms" : factor === 1 ? "1.0s" : "1.3s",
        error: "a",
      },
    });
  }
});

Deno.test("withRetry() waits as long as the provider asks, and not a moment less", async () => {
  const { model, clock, inner } = world([fails("slow", { retryAfterMs: 20_000 }), answers]);
  const call = collectReply(model);
  await clock.advance(19_999);
  assert.equal(inner.requests.length, 1);
  await clock.advance(1);
  assert.equal((await call).text, "ok");
});

Deno.test("withRetry() fails at once when the provider asks for more time than a reply may take", async () => {
  const { model, clock } = world([fails("slow", { retryAfterMs: 90_000, status: 429 })], 60_000);
  await assert.rejects(collectReply(model), (error) => {
    assert.ok(error instanceof ModelError);
    assert.equal(error.message, "slow (no time for 1m 30s within the timeout of 60s)");
    assert.equal(error.status, 429);
    return true;
  });
  assert.equal(clock.sleeping, 0);
});

Deno.test("withRetry() does not repeat what would fail again", async () => {
  const { model, inner, log } = world([fails("no", { retryable: false, status: 401 })]);
  await assert.rejects(collectReply(model), /^ModelError: no$/);
  assert.equal(inner.requests.length, 1);
  assert.deepEqual(log.lines, []);
});

Deno.test("withRetry() lets bugs through as they are", async () => {
  const bug = new TypeError("undefined is not a function");
  const { model, clock } = world([
    // deno-lint-ignore require-yield
    async function* () {
      await Promise.resolve();
      throw bug;
    },
  ]);
  await assert.rejects(collectReply(model), (error) => error === bug);
  assert.equal(clock.sleeping, 0);
});

Deno.test("withRetry() says that text of a failed attempt is void, and only then", async () => {
  const { model, clock } = world([fails("mute"), fails("cut", { text: "half" }), answers]);
  const call = collectReply(model);
  await clock.advance(3_000);
  const { deltas, text } = await call;
  assert.deepEqual(deltas, [
    { type: "text", text: "half" },
    { type: "restart" },
    { type: "text", text: "ok" },
  ]);
  assert.equal(text, "ok");
});

Deno.test("withRetry() does not void the text of an attempt that was the last", async () => {
  const { model } = world([fails("cut", { text: "half", retryable: false })]);
  const deltas: ModelDelta[] = [];
  await assert.rejects(
    collectReply(model, modelRequest(), { onDelta: (delta) => deltas.push(delta) }),
    /cut/,
  );
  assert.deepEqual(deltas, [{ type: "text", text: "half" }]);
});

Deno.test("withRetry() calls a model that refuses temperature again without it, now and later", async () => {
  const refusal = fails("openai answered 400: Unsupported value: 'temperature' must be 1", {
    retryable: false,
    status: 400,
  });
  const { model, clock, inner, log } = world([refusal, answers, answers]);
  assert.equal((await collectReply(model)).text, "ok");
  await collectReply(model);
  assert.deepEqual(inner.requests.map((request) => request.temperature), [
    0.7,
    undefined,
    undefined,
  ]);
  assert.equal(clock.sleeping, 0);
  assert.deepEqual(log.lines.map((line) => line.level), ["info"]);
});

Deno.test("withRetry() takes no other refusal for one of temperature", async () => {
  const cases: Attempt[] = [
    fails("openai answered 400: bad request", { retryable: false, status: 400 }),
    fails("openai answered 401: temperature", { retryable: false, status: 401 }),
  ];
  for (const attempt of cases) {
    const { model, inner } = world([attempt]);
    await assert.rejects(collectReply(model));
    assert.equal(inner.requests.length, 1);
  }
  const without = world([
    fails("openai answered 400: temperature", { retryable: false, status: 400 }),
  ]);
  await assert.rejects(collectReply(without.model, modelRequest({ temperature: undefined })));
  assert.equal(without.inner.requests.length, 1);
});

Deno.test("withRetry() ends a silent call with ReplyTimeout and aborts it", async () => {
  const { model, clock, inner } = world([goesSilent()], 45_000);
  const ended = assert.rejects(collectReply(model), (error) => {
    assert.ok(error instanceof ReplyTimeout);
    assert.equal(error.message, "Timeout after 45s");
    return true;
  });
  await clock.advance(44_999);
  assert.equal(inner.signals[0]?.aborted, false);
  await clock.advance(1);
  await ended;
  assert.equal(inner.signals[0]?.aborted, true);
  assert.equal(clock.sleeping, 0);
});

Deno.test("withRetry() counts the time of all attempts together", async () => {
  const { model, clock } = world([fails("a"), goesSilent()], 45_000);
  const ended = assert.rejects(collectReply(model), ReplyTimeout);
  await clock.advance(45_000);
  await ended;
  assert.equal(clock.sleeping, 0);
});

Deno.test("withRetry() gives up on a call that does not heed its signal", async () => {
  const release = Promise.withResolvers<void>();
  const { model, clock } = world([
    async function* () {
      yield { type: "text", text: "half" };
      await release.promise;
      return REPLY;
    },
  ], 45_000);
  const ended = assert.rejects(collectReply(model), ReplyTimeout);
  await clock.advance(45_000);
  await ended;
  release.resolve();
});

Deno.test("withRetry() repeats a call whose stream stalls after it began", async () => {
  const { model, clock, inner, log } = world([goesSilent("half"), answers]);
  const call = collectReply(model);
  await clock.advance(STALL_MS - 1);
  assert.equal(inner.requests.length, 1);
  await clock.advance(1);
  assert.equal(inner.signals[0]?.aborted, true);
  await clock.advance(1_000);
  assert.equal((await call).text, "ok");
  assert.match(
    String(log.lines[0]?.fields.error),
    /^test\/m stopped in the middle of its reply: nothing came for 120s$/,
  );
  assert.equal(clock.sleeping, 0);
});

Deno.test("withRetry() leaves a model all of its time before the first word, and between words that come", async () => {
  const clock = new TestClock();
  const slow: Attempt = async function* (_request, signal) {
    await clock.sleep(STALL_MS * 2, signal);
    for (let i = 0; i < 4; i++) {
      yield { type: "text", text: "." };
      await clock.sleep(STALL_MS - 1, signal);
    }
    return REPLY;
  };
  const model = withRetry(new ScriptedModel(slow), {
    clock,
    timeoutMs: STALL_MS * 10,
    log: new LogLines(),
  });
  const call = collectReply(model);
  await clock.advance(STALL_MS * 7);
  assert.equal((await call).text, "....");
  assert.equal(clock.sleeping, 0);
});

Deno.test("withRetry() takes no slow reader for a stalled stream", async () => {
  const { model, clock } = world([answers], STALL_MS * 10);
  const stream = model.generate(modelRequest(), { signal: new AbortController().signal });
  assert.deepEqual((await stream.next()).value, { type: "text", text: "ok" });
  await clock.advance(STALL_MS * 3);
  assert.equal((await stream.next()).value, REPLY);
  assert.equal(clock.sleeping, 0);
});

Deno.test("withRetry() rethrows the reason of a cancel, in a call and in a wait", async () => {
  for (const attempts of [[goesSilent("half")], [fails("a"), answers]]) {
    const { model, clock, inner } = world(attempts);
    const controller = new AbortController();
    const reason = new Error("enough");
    const ended = assert.rejects(
      collectReply(model, modelRequest(), { signal: controller.signal }),
      (error) => error === reason,
    );
    await clock.advance(0);
    controller.abort(reason);
    await ended;
    assert.equal(inner.requests.length, 1);
    assert.equal(inner.signals[0]?.aborted, true);
    assert.equal(clock.sleeping, 0);
    await assert.rejects(
      collectReply(model, modelRequest(), { signal: controller.signal }),
      (error) => error === reason,
    );
    assert.equal(inner.requests.length, 1);
  }
});

Deno.test("withRetry() ends the call when nobody reads on", async () => {
  const { model, clock, inner } = world([goesSilent("half")]);
  for await (const _ of model.generate(modelRequest(), { signal: new AbortController().signal })) {
    break;
  }
  assert.equal(inner.signals[0]?.aborted, true);
  assert.equal(clock.sleeping, 0);
});
