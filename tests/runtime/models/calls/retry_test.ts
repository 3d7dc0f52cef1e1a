import assert from "node:assert/strict";
import type { ModelDelta } from "../../../../runtime/models/model.ts";
import { collectReply, modelRequest } from "../../../support/collect_reply.ts";
import { answers, type Attempt, fails, retryWorld } from "../../../support/models/retry_world.ts";

Deno.test("withRetry() waits 1, 2 and 4 seconds with jitter, and fails after four attempts", async () => {
  for (const [random, factor] of [[0, 0.75], [0.5, 1], [0.999_999, 1.25]] as const) {
    const attempts = [fails("a"), fails("b"), fails("c"), fails("last", { status: 503 })];
    const { model, clock, inner, log } = retryWorld(attempts, 300_000, random);
    const message = "last (after 4 attempts)";
    const ended = assert.rejects(collectReply(model), { name: "ModelError", message, status: 503 });
    for (const [index, seconds] of [1, 2, 4].entries()) {
      await clock.advance(seconds * 1_000 * factor - 1);
      assert.equal(inner.requests.length, index + 1);
      await clock.advance(1);
      assert.equal(inner.requests.length, index + 2);
    }
    await ended;
    assert.deepEqual([clock.sleeping, log.lines.length], [0, 3]);
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

Deno.test("withRetry() rethrows errors other than ModelError unchanged", async () => {
  const bug = new TypeError("undefined is not a function");
  const { model, clock } = retryWorld([
    // deno-lint-ignore require-yield
    async function* () {
      await Promise.resolve();
      throw bug;
    },
  ]);
  await assert.rejects(collectReply(model), (error) => error === bug);
  assert.equal(clock.sleeping, 0);
});

Deno.test("withRetry() yields a notice before it waits", async () => {
  const limited = fails("openai answered 429", { status: 429, retryAfterMs: 20_000 });
  const { model, clock } = retryWorld([limited, fails("cut"), answers]);
  const deltas: ModelDelta[] = [];
  const call = collectReply(model, modelRequest(), { onDelta: (delta) => deltas.push(delta) });
  await clock.advance(0);
  const rate = "The rate limit is reached: attempt 2 of 4 in 20.0s (openai answered 429)";
  assert.deepEqual(deltas, [{ type: "notice", level: "warn", text: rate }]);
  await clock.advance(20_000);
  await clock.advance(3_000);
  await call;
  assert.deepEqual(deltas.slice(1), [
    { type: "notice", level: "warn", text: "The model call failed: attempt 3 of 4 in 2.0s (cut)" },
    { type: "text", text: "ok" },
  ]);
});

Deno.test("withRetry() distinguishes a refusal of temperature from other refusals", async () => {
  const cases: Attempt[] = [
    fails("openai answered 400: bad request", { retryable: false, status: 400 }),
    fails("openai answered 401: temperature", { retryable: false, status: 401 }),
  ];
  for (const attempt of cases) {
    const { model, inner } = retryWorld([attempt]);
    await assert.rejects(collectReply(model));
    assert.equal(inner.requests.length, 1);
  }
  const without = retryWorld([
    fails("openai answered 400: temperature", { retryable: false, status: 400 }),
  ]);
  await assert.rejects(collectReply(without.model, modelRequest({ temperature: undefined })));
  assert.equal(without.inner.requests.length, 1);
});
