import assert from "node:assert/strict";
import { type Model, ModelError, type Usage } from "../../../../runtime/models/model.ts";
import type { PlannedSpending, Spending } from "../../../../runtime/models/calls/spending.ts";
import { withBilling } from "../../../../runtime/models/calls/spending.ts";
import { boundInputTokens } from "../../../../runtime/models/token_estimate.ts";
import { collectReply, modelRequest } from "../../../support/collect_reply.ts";
import type { Attempt } from "../../../support/models/retry_world.ts";
import { answers, fails, goesSilent, REPLY } from "../../../support/models/retry_world.ts";
import { ScriptedModel } from "../../../support/models/retry_world.ts";

/**
 * Creates a CallBilling that records reservations and bookings. One token costs 1 for input, 2 for a write to the cache,
 * and 10 for output.
 */
function world(...attempts: Attempt[]): {
  model: Model;
  reserved: PlannedSpending[];
  settled: Spending[];
} {
  const reserved: PlannedSpending[] = [];
  const settled: Spending[] = [];
  const cost = ({ inputTokens, outputTokens, cacheWriteTokens }: Usage) =>
    inputTokens + cacheWriteTokens + 10 * outputTokens;
  const model = withBilling(new ScriptedModel(...attempts), {
    model: { provider: "test", name: "m" },
    gate: {
      reserve: (call) => {
        reserved.push(call);
        return Promise.resolve({ settle: (used) => Promise.resolve(void settled.push(used)) });
      },
    },
    prices: { costOf: (_model, { usage }) => Promise.resolve(usage && cost(usage)) },
  });
  return { model, reserved, settled };
}

const REQUEST = modelRequest({ maxTokens: 100 });
const INPUT = boundInputTokens(REQUEST);

Deno.test("withBilling() reserves the maximum cost of a call, and books the provider's count", async () => {
  const usage = { inputTokens: 5, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 2 };
  const { model, reserved, settled } = world(async function* () {
    yield { type: "text", text: "ok" };
    return await Promise.resolve({ ...REPLY, usage });
  });
  await collectReply(model, REQUEST);
  const costUsd = 2 * INPUT + 1_000;
  const most = await Promise.all(reserved.map((call) => call.most()));
  assert.deepEqual(most, [{ tokens: INPUT + 100, costUsd }]);
  assert.deepEqual(settled, [{ tokens: 8, costUsd: 37 }]);
});

Deno.test("withBilling() books the cost that the endpoint reports", async () => {
  const usage = { inputTokens: 5, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const { model, settled } = world(async function* () {
    yield { type: "progress" };
    return await Promise.resolve({ ...REPLY, usage, reportedCostUsd: 0.25 });
  });
  await collectReply(model, REQUEST);
  assert.deepEqual(settled, [{ tokens: 8, costUsd: 0.25 }]);
});

Deno.test("withBilling() estimates missing counts, never too low", async () => {
  const { model, settled } = world(answers);
  await collectReply(model, REQUEST);
  const [used] = settled;
  assert.ok(
    used !== undefined && used.tokens > INPUT && used.tokens <= INPUT + 20,
    `${used?.tokens}`,
  );
});

Deno.test("withBilling() books nothing for an error before the answer", async () => {
  const { model, settled } = world(fails("overloaded", { status: 529 }));
  await assert.rejects(collectReply(model, REQUEST), ModelError);
  assert.deepEqual(settled, [{ tokens: 0, costUsd: 0 }]);
});

Deno.test("withBilling() books a call that was aborted or broke off", async () => {
  for (const attempt of [goesSilent(), goesSilent("Half of it")]) {
    const { model, settled } = world(attempt);
    const giveUp = new AbortController();
    const call = collectReply(model, REQUEST, { signal: giveUp.signal });
    await Promise.resolve();
    setTimeout(() => giveUp.abort(new Error("enough")), 0);
    await assert.rejects(call, /enough/);
    assert.ok((settled[0]?.tokens ?? 0) >= INPUT);
  }
  const { model, settled } = world(async function* () {
    yield { type: "progress" };
    await Promise.resolve();
    throw new ModelError("the stream ended early", { retryable: true, mayBeBilled: true });
  });
  await assert.rejects(collectReply(model, REQUEST), ModelError);
  assert.ok((settled[0]?.tokens ?? 0) > INPUT);
});

Deno.test("withBilling() makes no call if the reservation fails", async () => {
  const scripted = new ScriptedModel();
  const gate = { reserve: () => Promise.reject(new Error("no money")) };
  const prices = { costOf: () => Promise.resolve(1) };
  const model = withBilling(scripted, { model: { provider: "test", name: "m" }, gate, prices });
  await assert.rejects(collectReply(model, REQUEST), /no money/);
  assert.equal(scripted.requests.length, 0);
});

// Texts with their number of tokens: the highest count of the vocabularies o200k_base, cl100k_base and p50k_base.
const COUNTED: readonly (readonly [string, number])[] = [
  ["The quick brown fox jumps over the lazy dog. ".repeat(20), 201],
  ["Die Donaudampfschifffahrtsgesellschaft hat größere Überweisungen genehmigt. ".repeat(20), 621],
  ["今天天气很好，我们去公园散步吧。".repeat(20), 600],
  ["Сегодня хорошая погода, и мы идём гулять в парк. ".repeat(20), 1061],
  ["Chrząszcz brzmi w trzcinie w Szczebrzeszynie. ".repeat(20), 502],
  ['{"id": 12345, "name": "user_1", "email": "u1@example.com"}\n'.repeat(20), 520],
  ["for (let i = 0; i < items.length; i++) { total += items[i].price * 1.19; }\n".repeat(20), 600],
  ["3f9a1c77e0b24d6f8a5c1e9b7d3f2a40".repeat(20), 561],
  ["aGVsbG8gd29ybGQgYW5kIGFsbCB0aGF0IGlzIGluIGl0Lg==".repeat(20), 720],
  ["🎉🚀 done ✅ ".repeat(20), 181],
];

Deno.test("boundInputTokens() is at least the provider's count for ordinary texts in all scripts", () => {
  for (const [content, counted] of COUNTED) {
    const request = modelRequest({ messages: [{ role: "user", content }] });
    assert.ok(boundInputTokens(request) >= counted, content.slice(0, 40));
  }
});
