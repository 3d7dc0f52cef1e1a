import assert from "node:assert/strict";
import type { Model, ModelReply } from "../../../../runtime/models/model.ts";
import { ModelQueue, withQueue } from "../../../../runtime/models/calls/queue.ts";
import { collectReply, modelRequest } from "../../../support/collect_reply.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { settle } from "../../../support/test_clock.ts";

const FREE = new AbortController().signal;

function world(limit: number): { queue: ModelQueue; log: LogLines } {
  const log = new LogLines();
  return { queue: new ModelQueue({ limit, log }), log };
}

Deno.test("ModelQueue admits calls up to its limit, and further calls in order of arrival", async () => {
  const { queue, log } = world(2);
  const order: number[] = [];
  const places: Disposable[] = [];
  const entries = [0, 1, 2, 3, 4].map(async (number) => {
    const place = await queue.acquire(`m${number}`, FREE);
    order.push(number);
    places.push(place);
  });
  await settle();
  assert.deepEqual(order, [0, 1]);
  for (let i = 0; i < 3; i++) {
    // Each place is disposed twice; the second dispose has no effect.
    for (let times = 0; times < 2; times++) places[i]?.[Symbol.dispose]();
    await settle();
    assert.equal(order.length, 3 + i);
  }
  await Promise.all(entries);
  assert.deepEqual(order, [0, 1, 2, 3, 4]);
  assert.deepEqual(log.lines.map((line) => [line.level, line.fields]), [
    ["info", { model: "m2", running: 2, ahead: 0 }],
    ["info", { model: "m3", running: 2, ahead: 1 }],
    ["info", { model: "m4", running: 2, ahead: 2 }],
  ]);
});

Deno.test("ModelQueue removes only the aborted call", async () => {
  const { queue } = world(1);
  const held = await queue.acquire("a", FREE);
  const controller = new AbortController();
  const reason = new Error("enough");
  const gone = assert.rejects(queue.acquire("b", controller.signal), (error) => error === reason);
  const next = queue.acquire("c", FREE);
  controller.abort(reason);
  await gone;
  held[Symbol.dispose]();
  (await next)[Symbol.dispose]();
  await assert.rejects(queue.acquire("d", controller.signal), (error) => error === reason);
  (await queue.acquire("e", FREE))[Symbol.dispose]();
});

Deno.test("ModelQueue keeps all other places when a call aborts after its admission", async () => {
  const { queue } = world(1);
  const held = await queue.acquire("a", FREE);
  const controller = new AbortController();
  const admitted = queue.acquire("b", controller.signal);
  let isNextAdmitted = false;
  const next = queue.acquire("c", FREE).then((place) => {
    isNextAdmitted = true;
    return place;
  });
  held[Symbol.dispose]();
  controller.abort();
  const place = await admitted;
  await settle();
  assert.equal(isNextAdmitted, false);
  place[Symbol.dispose]();
  (await next)[Symbol.dispose]();
});

const REPLY: ModelReply = {
  message: { role: "assistant", content: "ok", toolCalls: [] },
  stop: "end",
  usage: null,
  reportedCostUsd: null,
};

Deno.test("withQueue() limits simultaneous calls, and releases the place of each ended call", async () => {
  const { queue } = world(3);
  let running = 0;
  let most = 0;
  const inner: Model = {
    id: "test/m",
    async *generate(request) {
      most = Math.max(most, ++running);
      try {
        yield { type: "text", text: "ok" };
        await settle();
        if (request.maxTokens % 2 === 0) throw new Error("failed");
        return REPLY;
      } finally {
        running--;
      }
    },
  };
  const model = withQueue(inner, queue);
  const calls = Array.from(
    { length: 12 },
    (_, i) => collectReply(model, modelRequest({ maxTokens: i })),
  );
  const results = await Promise.allSettled(calls);
  assert.equal(results.filter((result) => result.status === "fulfilled").length, 6);
  assert.equal(most, 3);
  for await (const _ of model.generate(modelRequest(), { signal: FREE })) break;
  assert.equal(running, 0);
  using _a = await queue.acquire("a", FREE);
  using _b = await queue.acquire("b", FREE);
  using _c = await queue.acquire("c", FREE);
});
