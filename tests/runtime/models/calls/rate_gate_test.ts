import assert from "node:assert/strict";
import { RateGate } from "../../../../runtime/models/calls/rate_gate.ts";
import { withRetry } from "../../../../runtime/models/calls/retry.ts";
import { collectReply, failureOf } from "../../../support/collect_reply.ts";
import { LogLines } from "../../../support/log_lines.ts";
import {
  answers,
  type Attempt,
  fails,
  ScriptedModel,
} from "../../../support/models/retry_world.ts";
import { settle, SteppedClock, TestClock } from "../../../support/test_clock.ts";

/**
 * Creates a function that opens models with the same key, each with its own script. `called` records the order of the
 * calls.
 */
function world(timeoutMs = 300_000) {
  const clock = new TestClock(0);
  const log = new LogLines();
  const rates = new RateGate({ clock, log });
  const called: string[] = [];
  const open = (name: string, ...attempts: Attempt[]) => {
    const noted = attempts.map((attempt): Attempt =>
      async function* (...args) {
        called.push(`${name} at ${clock.now()}`);
        return yield* attempt(...args);
      }
    );
    const random = () => 0.5;
    return withRetry(new ScriptedModel(...noted), { clock, timeoutMs, log, rates, random });
  };
  return { clock, rates, called, open };
}

const LIMITED = fails("slow down", { status: 429, retryAfterMs: 20_000 });

Deno.test("RateGate delays all calls with the key until a pause ends, and keeps their order", async () => {
  const { clock, rates, called, open } = world();
  const first = collectReply(open("a", LIMITED, answers));
  await settle();
  assert.ok(rates.mustWait);
  await clock.advance(5_000);
  const second = collectReply(open("b", answers));
  const third = collectReply(open("c", answers));
  await clock.advance(14_999);
  assert.deepEqual(called, ["a at 0"]);
  await clock.advance(1_000);
  await Promise.all([first, second, third]);
  assert.deepEqual(called, ["a at 0", "a at 20000", "b at 20250", "c at 20450"]);
  const text = "Waits for 15.0s: the provider's rate limit is reached";
  assert.deepEqual((await second).deltas[0], { type: "notice", level: "info", text });
  // After the pause, the next call does not wait.
  await collectReply(open("d", answers));
  assert.equal(called.at(-1), "d at 20999");
});

Deno.test("RateGate keeps the position of a call when the provider asks for a second pause", async () => {
  const { clock, called, open } = world();
  const first = collectReply(open("a", LIMITED, LIMITED, answers));
  await settle();
  const second = collectReply(open("b", answers));
  await clock.advance(20_000);
  await clock.advance(20_000);
  await clock.advance(1_000);
  await Promise.all([first, second]);
  assert.deepEqual(called, ["a at 0", "a at 20000", "a at 40000", "b at 40250"]);
});

Deno.test("RateGate admits the waiting calls faster and faster, until the provider asks for another pause", async () => {
  const { clock, called, open } = world();
  const calls = [collectReply(open("first", LIMITED, answers))];
  await settle();
  for (let i = 1; i < 100; i++) calls.push(collectReply(open(`${i}`, answers)));
  calls.push(collectReply(open("limited", LIMITED, answers)));
  for (let i = 101; i < 104; i++) calls.push(collectReply(open(`${i}`, answers)));
  await clock.advance(20_000);
  await clock.advance(1_000);
  assert.equal(called.length, 8);
  await clock.advance(2_450);
  assert.match(called[101] ?? "", /^limited at /);
  assert.equal(called.length, 102);
  const pausedAt = Number(called.at(-1)?.split(" ").at(-1));
  await clock.advance(23_000);
  await Promise.all(calls);
  const after = called.slice(102).map((one) => Number(one.split(" ").at(-1)) - pausedAt);
  assert.deepEqual(after, [20_000, 20_250, 20_450, 20_617]);
});

Deno.test("RateGate removes an aborted call, and fails immediately for a pause beyond the timeout", async () => {
  const { clock, called, open } = world(60_000);
  const failing = failureOf(open("a", fails("slow down", { status: 429, retryAfterMs: 120_000 })));
  assert.match((await failing).message, /no time for 2m 00s within the timeout of 60s/);
  const late = await failureOf(open("b", answers));
  assert.match(late.message, /the provider asks to wait 2m 00s, more than the timeout of 60s/);
  await clock.advance(90_000);
  const giveUp = new AbortController();
  const third = collectReply(open("c", answers), undefined, { signal: giveUp.signal });
  await settle();
  giveUp.abort(new Error("enough"));
  await assert.rejects(third, /enough/);
  const fourth = collectReply(open("d", answers));
  await clock.advance(30_000);
  await fourth;
  assert.deepEqual(called, ["a at 0", "d at 120000"]);
  assert.equal(clock.sleeping, 0);
});

Deno.test("RateGate ends a pause in time after the wall clock was set forward or back", () => {
  for (const stepMs of [-3_600_000, 3_600_000]) {
    const clock = new SteppedClock();
    const rates = new RateGate({ clock, log: new LogLines() });
    rates.pause(20_000, "test/m");
    assert.equal(rates.waitMs, 20_000);
    clock.step(stepMs);
    assert.equal(rates.waitMs, stepMs < 0 ? 20_000 : 0);
    rates.pause(30_000, "test/m");
    assert.equal(rates.waitMs, 30_000);
  }
});
