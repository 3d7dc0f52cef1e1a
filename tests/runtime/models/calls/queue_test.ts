// Tests the queue of model calls, with the retries and pauses of its calls.
import assert from "node:assert/strict";
import type { Model } from "../../../../runtime/models/model.ts";
import { RateGates } from "../../../../runtime/models/calls/rate_gate.ts";
import { withRetry } from "../../../../runtime/models/calls/retry.ts";
import { FifoSemaphore } from "../../../../runtime/models/fifo_semaphore.ts";
import { collectReply, modelRequest } from "../../../support/collect_reply.ts";
import { LogLines } from "../../../support/log_lines.ts";
import {
  answers,
  type Attempt,
  fails,
  REPLY,
  ScriptedModel,
} from "../../../support/models/retry_world.ts";
import { settle, settleQuickly, TestClock } from "../../../support/test_clock.ts";

const FREE = new AbortController().signal;

Deno.test("FifoSemaphore removes only the aborted waiter", async () => {
  const semaphore = new FifoSemaphore(1);
  const held = await semaphore.acquire(FREE);
  const controller = new AbortController();
  const reason = new Error("enough");
  const gone = assert.rejects(semaphore.acquire(controller.signal), (error) => error === reason);
  const next = semaphore.acquire(FREE);
  controller.abort(reason);
  await gone;
  held[Symbol.dispose]();
  (await next)[Symbol.dispose]();
  await assert.rejects(semaphore.acquire(controller.signal), (error) => error === reason);
  (await semaphore.acquire(FREE))[Symbol.dispose]();
});

Deno.test("FifoSemaphore keeps all other places when a waiter aborts after its admission", async () => {
  const semaphore = new FifoSemaphore(1);
  const held = await semaphore.acquire(FREE);
  const controller = new AbortController();
  const admitted = semaphore.acquire(controller.signal);
  const next = semaphore.acquire(FREE);
  // The second dispose has no effect.
  for (let times = 0; times < 2; times++) held[Symbol.dispose]();
  controller.abort();
  const place = await admitted;
  await settle();
  assert.equal(semaphore.waiting, 1);
  place[Symbol.dispose]();
  (await next)[Symbol.dispose]();
});

Deno.test("withRetry() admits calls up to the limit of the queue and in order, and releases the place of each ended call", async () => {
  const log = new LogLines();
  const queue = new FifoSemaphore(3);
  const started: number[] = [];
  let running = 0;
  let most = 0;
  const inner: Model = {
    id: "test/m",
    async *generate({ maxTokens }) {
      started.push(maxTokens);
      most = Math.max(most, ++running);
      try {
        yield { type: "text", text: "ok" };
        await settle();
        if (maxTokens % 2 === 0) throw new Error("failed");
        return REPLY;
      } finally {
        running--;
      }
    },
  };
  const model = withRetry(inner, { clock: new TestClock(), log, queue, timeoutMs: 60_000 });
  const calls = Array.from(
    { length: 12 },
    (_, i) => collectReply(model, modelRequest({ maxTokens: i })),
  );
  const results = await Promise.allSettled(calls);
  assert.equal(results.filter((result) => result.status === "fulfilled").length, 6);
  assert.equal(most, 3);
  assert.deepEqual(started, [...Array(12).keys()]);
  const waits = Array.from({ length: 9 }, (_, ahead) => ({ model: "test/m", running: 3, ahead }));
  assert.deepEqual(
    log.lines.map(({ level, fields }) => [level, fields]),
    waits.map((fields) => ["info", fields]),
  );
  for await (const _ of model.generate(modelRequest(), { signal: FREE })) break;
  assert.equal(running, 0);
});

/** Models with retries that share a queue of one place. Each model has a rate gate of its own. */
class QueueWorld {
  readonly clock = new TestClock();
  readonly started: string[] = [];
  readonly #queue = new FifoSemaphore(1);
  readonly #gates = new RateGates({ clock: this.clock, log: new LogLines() });

  constructor() {
    this.clock.settle = settleQuickly;
  }

  /** Starts a call of a model that makes these attempts. */
  async call(name: string, attempts: Attempt[], timeoutMs = 300_000): Promise<string> {
    const noted = attempts.map((attempt): Attempt => (...args) => {
      this.started.push(name);
      return attempt(...args);
    });
    const connection = { adapter: "openai", name, id: `test/${name}`, apiKey: "k" } as const;
    const rates = this.#gates.gateFor({ ...connection, baseUrl: "b", streamUsage: true });
    const model = withRetry(new ScriptedModel(...noted), {
      ...{ clock: this.clock, log: new LogLines(), queue: this.#queue, rates },
      ...{ timeoutMs, random: () => 0.5 },
    });
    return (await collectReply(model)).text;
  }

  /** An attempt that takes `ms` milliseconds. */
  takes(ms: number): Attempt {
    const { clock } = this;
    return async function* (_request, signal) {
      await clock.sleep(ms, signal);
      yield { type: "text", text: "ok" };
      return REPLY;
    };
  }
}

const LIMITED = fails("slow down", { status: 429, retryAfterMs: 100_000 });

Deno.test("a call that waits for its provider's pause or its next attempt lets other calls run, and then comes before later calls", async () => {
  for (
    const failure of [
      LIMITED,
      fails("broken", { status: 503, retryAfterMs: 100_000 }),
      fails("broken"),
    ]
  ) {
    const world = new QueueWorld();
    const { clock, started } = world;
    const first = world.call("first", [failure, answers]);
    await clock.advance(0);
    assert.equal(await world.call("second", [answers]), "ok");
    const third = world.call("third", [world.takes(100_000)]);
    await clock.advance(0);
    const fourth = world.call("fourth", [answers]);
    await clock.advance(100_000);
    assert.deepEqual(await Promise.all([first, third, fourth]), ["ok", "ok", "ok"]);
    assert.deepEqual(started, ["first", "second", "third", "first", "fourth"]);
    assert.equal(clock.sleeping, 0);
  }
});

Deno.test("a new call of a model whose provider asked for a pause holds no place", async () => {
  const world = new QueueWorld();
  const { clock, started } = world;
  const calls = [world.call("paused", [LIMITED, answers]), world.call("paused", [answers])];
  await clock.advance(0);
  calls.push(world.call("paused", [answers]), world.call("other", [world.takes(50_000)]));
  await clock.advance(50_000);
  assert.equal(await calls.at(-1), "ok");
  assert.deepEqual(started, ["paused", "other"]);
  await clock.advance(51_000);
  await Promise.all(calls);
  assert.deepEqual(started, ["paused", "other", "paused", "paused", "paused"]);
});

Deno.test("a next attempt that got its place waits for a pause that began before", async () => {
  const world = new QueueWorld();
  const { clock, started } = world;
  const first = world.call("first", [fails("slow down", { status: 429 }), answers]);
  await clock.advance(0);
  const second = world.call("second", [
    async function* (_request, signal) {
      await clock.sleep(20_000, signal);
      return yield* fails("Your account has no quota", { status: 429, retryAfterMs: 100_000 })(
        modelRequest(),
        signal,
      );
    },
    answers,
  ]);
  await clock.advance(119_000);
  assert.deepEqual(started, ["first", "second"]);
  await clock.advance(2_000);
  assert.deepEqual(await Promise.all([first, second]), ["ok", "ok"]);
  assert.equal(clock.sleeping, 0);
});

Deno.test("the wait for a place does not count toward the timeout of a reply, also after a failed attempt", async () => {
  const world = new QueueWorld();
  const { clock } = world;
  const first = world.call("first", [fails("broken"), world.takes(8_000)], 10_000);
  await clock.advance(0);
  const second = world.call("second", [world.takes(60_000)]);
  await clock.advance(60_000);
  const third = world.call("third", [answers], 5_000);
  await clock.advance(8_000);
  assert.deepEqual(await Promise.all([first, second, third]), ["ok", "ok", "ok"]);
  const late = world.call("late", [fails("broken"), world.takes(9_500)], 10_000);
  const ended = assert.rejects(late, { name: "ReplyTimeout" });
  await clock.advance(10_000);
  await ended;
  assert.equal(clock.sleeping, 0);
});
