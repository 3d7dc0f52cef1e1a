import assert from "node:assert/strict";
import type { Model, ModelReply } from "../../../../runtime/models/model.ts";
import { ModelQueue } from "../../../../runtime/models/calls/queue.ts";
import { FifoSemaphore } from "../../../../runtime/models/fifo_semaphore.ts";
import { collectReply, modelRequest } from "../../../support/collect_reply.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { settle } from "../../../support/test_clock.ts";

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

const REPLY: ModelReply = {
  message: { role: "assistant", content: "ok", toolCalls: [] },
  stop: "end",
  usage: null,
  reportedCostUsd: null,
};

Deno.test("ModelQueue admits calls up to its limit and in order, and releases the place of each ended call", async () => {
  const log = new LogLines();
  const queue = new ModelQueue({ limit: 3, log });
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
  const model = queue.wrap(inner);
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
