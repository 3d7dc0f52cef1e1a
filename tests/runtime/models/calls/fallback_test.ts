// Tests models with fallbacks: the failures after which the next model is called, the costs, and the log.
import assert from "node:assert/strict";
import type { ModelSettings } from "../../../../runtime/agents/agent.ts";
import { ModelError } from "../../../../runtime/models/model.ts";
import { ModelSupply } from "../../../../runtime/models/calls/model_supply.ts";
import type { PlannedSpending } from "../../../../runtime/models/calls/spending.ts";
import { collectReply } from "../../../support/collect_reply.ts";
import { AnthropicServer } from "../../../support/models/anthropic_server.ts";
import type { ModelStep } from "../../../support/models/model_server.ts";
import { OpenAiServer } from "../../../support/models/openai_server.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../../support/test_workspace.ts";

const failing = (status: number, message: string, headers = {}): ModelStep => (
  { status, headers, body: JSON.stringify({ error: { message } }) }
);

/** Opens two models: the first plays the answers `steps`, its fallback plays `others`. */
async function openWorld(
  steps: ModelStep[],
  others: ModelStep[],
  changes: Partial<ModelSettings> = {},
) {
  const stack = new AsyncDisposableStack();
  const [first, second] = [new OpenAiServer(steps), new AnthropicServer(others)];
  stack.use(first);
  stack.use(second);
  const place = stack.use(await createTestWorkspace({ shell: { ANTHROPIC_API_KEY: "k" } }));
  const clock = new TestClock();
  const paid: PlannedSpending[] = [];
  const supply = new ModelSupply({
    gate: {
      reserve(call) {
        paid.push(call);
        return Promise.resolve({ settle: () => Promise.resolve() });
      },
    },
    settings: await place.settings(),
    clock,
    log: { write: () => {} },
  });
  const one = { streamUsage: true };
  const fallback = [{ ...one, provider: "anthropic", name: "c", baseUrl: second.origin }];
  const model = { ...one, provider: "local", name: "m", baseUrl: first.origin, fallback };
  const agent = createTestAgent({ model: { ...model, ...changes } });
  /** Makes a call, and advances the clock over the waits between attempts. */
  const ask = async (settings = agent) => {
    const opened = await supply.open(settings);
    let isOver = false;
    const asked = collectReply(opened).finally(() => isOver = true);
    asked.catch(() => {});
    while (!isOver) await clock.advance(2_000);
    return { opened, ...await asked };
  };
  const sole = createTestAgent({ model: { ...model, fallback: undefined as never } });
  return {
    first,
    second,
    clock,
    paid,
    ask,
    sole,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Cases of failures of the first model, with its number of calls before the fallback. */
const FALLS: [what: string, step: ModelStep, calls: number][] = [
  ["is not allowed", failing(401, "bad key"), 1],
  ["has no money", failing(402, "pay"), 1],
  ["is forbidden", failing(403, "no"), 1],
  ["does not exist", failing(404, "no such model"), 1],
  ["is overloaded", failing(529, "overloaded"), 4],
  ["has no quota", failing(429, "You exceeded your quota"), 4],
  ["asks for a long wait", failing(429, "slow", { "retry-after": "60" }), 1],
  ["answers 400 because of the account", failing(400, "Your credit balance is too low"), 1],
  ["answers 400 because of the model", failing(400, "The model `m` does not exist"), 1],
  ["never answers", { silent: true }, 1],
];
for (const [what, step, calls] of FALLS) {
  Deno.test(`a model that ${what} is replaced by its fallback for the rest of the run`, async () => {
    const other = { text: "Hi." };
    await using world = await openWorld(Array.from({ length: calls }, () => step), [other, other]);
    const { opened, reply, deltas } = await world.ask();
    assert.equal(reply.message.content, "Hi.");
    assert.equal(opened.id, "anthropic/c");
    const notices = deltas.flatMap((one) => one.type === "notice" ? [one.text] : []);
    assert.match(
      notices.at(-1) ?? "",
      /^anthropic\/c is called instead of local\/m: (local|Timeout)/,
    );
    assert.equal(world.first.requests.length, calls);
    assert.ok((await collectReply(opened)).deltas.every(({ type }) => type !== "notice"));
    assert.deepEqual(world.paid.map(({ model }) => model).slice(calls), [
      "anthropic/c",
      "anthropic/c",
    ]);
    world.second.assertDone();
  });
}

Deno.test("a model whose key is missing is replaced by its fallback", async () => {
  await using world = await openWorld([], [{ text: "Hi." }], { provider: "mine" });
  const { deltas, reply } = await world.ask();
  assert.equal(reply.message.content, "Hi.");
  assert.match(JSON.stringify(deltas[0]), /instead of mine\/m: .*MINE_API_KEY is not set/);
});

const STAYS: [what: string, step: ModelStep][] = [
  ["refuses the request", failing(400, "messages must not be empty")],
  ["refuses a tool", failing(400, "Invalid schema of get_organization_account: not valid")],
  ["flags the content", failing(403, "Your input was flagged by moderation")],
  ["breaks off in its reply", { text: "Hel", then: "cut" }],
];
for (const [what, step] of STAYS) {
  Deno.test(`a model that ${what} is not replaced`, async () => {
    await using world = await openWorld(Array.from({ length: 4 }, () => step), []);
    await assert.rejects(world.ask(), ModelError);
    assert.equal(world.second.requests.length, 0);
  });
}

Deno.test("a call of failing models is retryable if its first or last error is retryable", async () => {
  const down = Array.from({ length: 4 }, () => failing(503, "down"));
  const [gone, lost] = [failing(404, "gone"), failing(401, "lost")];
  const tests: [ModelStep[], ModelStep[], boolean, RegExp][] = [
    [down, [lost], true, /503: down .*; anthropic\/c failed, too: anthropic answered 401/],
    [[gone], down, true, /503: .*; local\/m failed, too: local answered 404: gone/],
    [[gone], [lost], false, /^anthropic answered 401.*local\/m failed, too/],
  ];
  for (const [first, second, isTransient, message] of tests) {
    await using world = await openWorld(first, second);
    const error = await world.ask().catch((error) => error);
    assert.ok(error instanceof ModelError);
    assert.match(error.message, message);
    assert.equal(error.retryable, isTransient, error.message);
  }
});

Deno.test("a provider's pause applies to its other models only if the message names the account", async () => {
  const tests: [string, boolean][] = [
    ["Rate limit reached for requests", false],
    ["Rate limit reached for m in organization o", false],
    ["Quota of your organization exceeded", true],
  ];
  for (const [message, concernsAccount] of tests) {
    const limited = failing(429, message, { "retry-after": "60" });
    await using world = await openWorld([limited, { text: "ok" }], [{ text: "ok" }]);
    await world.ask();
    const { model } = world.sole;
    const { deltas } = await world.ask({ ...world.sole, model: model && { ...model, name: "n" } });
    const waits = deltas.filter((one) => one.type === "notice" && /^Waits for/.test(one.text));
    assert.equal(waits.length === 1, concernsAccount, message);
  }
});

Deno.test("a run with a fallback has the answering model's price and an identical replay", async () => {
  const look = { toolCalls: [{ name: "file_glob", arguments: { pattern: "*" } }] };
  await using first = new OpenAiServer([failing(402, "pay")]);
  await using second = new AnthropicServer([look, { text: "Done." }]);
  await using place = await createTestWorkspace({ shell: { ANTHROPIC_API_KEY: "key-0123456789" } });
  await Deno.writeTextFile(
    `${place.configDir}/pricing.yaml`,
    "m: { input: 1000, output: 0 }\nc: { input: 0, output: 1000 }\n",
  );
  const model = `{ provider: local, name: m, base_url: "${first.url}", fallback: [` +
    `{ provider: anthropic, name: c, base_url: "${second.origin}" }] }`;
  await place.writeAgent("a", `---\nmodel: ${model}\n---\nWork.\n`);
  await using runtime = await place.open();
  const ended = await runToEnd(runtime, "a");
  assert.deepEqual([ended.status, ended.outputData, ended.costUsd], ["success", "Done.", 0.01]);
  const told = "anthropic/c is called instead of local/m: local answered 402: pay";
  const shown = (await payloadsOf(runtime, ended.id)).map((one) => one["message"]);
  assert.equal(shown.filter((text) => text === told).length, 1);
  assert.equal(place.logged.filter(({ message }) => message === told).length, 1);
  const replay = () => runtime.replays.replay(ended.id, { withAllTools: false });
  assert.deepEqual((await replay()).differences, []);
  // From here on the first model works again.
  first.push({ text: "I am back." });
  assert.equal((await runToEnd(runtime, "a")).outputData, "I am back.");
  const { settings, notices } = await runtime.planRun("a", { withMessages: false });
  assert.equal(settings.find(({ name }) => name === "fallback")?.value, "anthropic/c");
  assert.deepEqual(notices, []);
  await place.writeAgent(
    "b",
    "---\nmodel: { provider: openai, name: m, fallback: local/n }\n---\nWork.\n",
  );
  await runtime.reloadAgents();
  const plan = await runtime.planRun("b", { withMessages: false });
  assert.deepEqual([plan.problems, plan.notices], [
    [],
    ["The key of model openai/m is missing: OPENAI_API_KEY is not set"],
  ]);
  await place.writeAgent("a", `---\nmodel: { provider: local, name: m }\n---\nWork.\n`);
  await runtime.reloadAgents();
  const [difference] = (await replay()).differences;
  assert.deepEqual([difference?.what, difference?.recorded, difference?.today], [
    "model",
    "anthropic/c",
    "local/m",
  ]);
});
