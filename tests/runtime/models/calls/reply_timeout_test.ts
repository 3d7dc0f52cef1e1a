// Tests the timeouts of withRetry(): the timeout of a reply, stalls, and cancels.
import assert from "node:assert/strict";
import { ReplyTimeout, STALL_MS, withRetry } from "../../../../runtime/models/calls/retry.ts";
import { collectReply, modelRequest } from "../../../support/collect_reply.ts";
import { LogLines } from "../../../support/log_lines.ts";
import type { Attempt } from "../../../support/models/retry_world.ts";
import {
  answers,
  fails,
  goesSilent,
  REPLY,
  retryWorld,
} from "../../../support/models/retry_world.ts";
import { ScriptedModel } from "../../../support/models/retry_world.ts";
import { SteppedClock, TestClock } from "../../../support/test_clock.ts";

Deno.test("withRetry() applies the timeout to all attempts together", async () => {
  const { model, clock } = retryWorld([fails("a"), goesSilent()], 45_000);
  const ended = assert.rejects(collectReply(model), ReplyTimeout);
  await clock.advance(45_000);
  await ended;
  assert.equal(clock.sleeping, 0);
});

Deno.test("withRetry() abandons a call that ignores its signal", async () => {
  const release = Promise.withResolvers<void>();
  const { model, clock } = retryWorld([
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

Deno.test("withRetry() repeats a call if its stream stalls", async () => {
  const { model, clock, inner, log } = retryWorld([goesSilent("half"), answers]);
  const call = collectReply(model);
  await clock.advance(STALL_MS - 1);
  assert.equal(inner.requests.length, 1);
  await clock.advance(1);
  assert.equal(inner.signals[0]?.aborted, true);
  await clock.advance(1_000);
  assert.equal((await call).text, "ok");
  const expected = /^test\/m stopped in the middle of its reply: nothing came for 120s$/;
  assert.match(String(log.lines[0]?.fields.error), expected);
  assert.equal(clock.sleeping, 0);
});

Deno.test("withRetry() reports no stall before the first delta, or before the stall time", async () => {
  const clock = new TestClock();
  const slow: Attempt = async function* (_request, signal) {
    await clock.sleep(STALL_MS * 2, signal);
    for (let i = 0; i < 4; i++) {
      yield { type: "text", text: "." };
      await clock.sleep(STALL_MS - 1, signal);
    }
    return REPLY;
  };
  const log = new LogLines();
  const model = withRetry(new ScriptedModel(slow), { clock, timeoutMs: STALL_MS * 10, log });
  const call = collectReply(model);
  await clock.advance(STALL_MS * 7);
  assert.equal((await call).text, "....");
  assert.equal(clock.sleeping, 0);
});

Deno.test("withRetry() does not treat a slow reader as a stalled stream", async () => {
  const { model, clock } = retryWorld([answers], STALL_MS * 10);
  const stream = model.generate(modelRequest(), { signal: new AbortController().signal });
  assert.deepEqual((await stream.next()).value, { type: "text", text: "ok" });
  await clock.advance(STALL_MS * 3);
  assert.equal((await stream.next()).value, REPLY);
  assert.equal(clock.sleeping, 0);
});

Deno.test("withRetry() rethrows the reason of a cancel, in a call and in a wait", async () => {
  for (const attempts of [[goesSilent("half")], [fails("a"), answers]]) {
    const { model, clock, inner } = retryWorld(attempts);
    const controller = new AbortController();
    const reason = new Error("enough");
    const ended = assert.rejects(
      collectReply(model, modelRequest(), { signal: controller.signal }),
      (error) => error === reason,
    );
    await clock.advance(0);
    controller.abort(reason);
    await ended;
    assert.deepEqual([inner.requests.length, inner.signals[0]?.aborted], [1, true]);
    assert.equal(clock.sleeping, 0);
    await assert.rejects(
      collectReply(model, modelRequest(), { signal: controller.signal }),
      (error) => error === reason,
    );
    assert.equal(inner.requests.length, 1);
  }
});

Deno.test("withRetry() measures its time limits independently of changes of the wall clock", async () => {
  for (const stepMs of [-3_600_000, 3_600_000]) {
    const clock = new SteppedClock();
    const options = { clock, timeoutMs: 45_000, log: new LogLines(), random: () => 0.5 };
    const call = collectReply(
      withRetry(new ScriptedModel(goesSilent("half"), answers), { ...options, timeoutMs: 180_000 }),
    );
    await clock.advance(1_000);
    clock.step(stepMs);
    await clock.advance(STALL_MS);
    assert.equal((await call).text, "ok");
    const ended = assert.rejects(
      collectReply(withRetry(new ScriptedModel(goesSilent()), options)),
      ReplyTimeout,
    );
    await clock.advance(1_000);
    clock.step(stepMs);
    await clock.advance(44_000);
    await ended;
    assert.equal(clock.sleeping, 0);
  }
});
