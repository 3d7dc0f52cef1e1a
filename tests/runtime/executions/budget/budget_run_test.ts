import assert from "node:assert/strict";
import type { ServiceEvent } from "../../../../runtime/events/bus.ts";
import { SqlBudgetStore } from "../../../../runtime/executions/budget/budget_store.ts";
import { OpenAiServer } from "../../../support/models/openai_server.ts";
import { runToEnd, toEnd } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { stopWaiting, untilStatus } from "../executions_of.ts";
import { calls, DOLLAR_CALLS, openBudgetWorld, says } from "./budget_world.ts";

Deno.test("a run over its daily budget asks a person, and continues or ends as answered", async () => {
  await using world = await openBudgetWorld();
  const steps = [calls("file_glob", { pattern: "*" }, 8), says("Done.", 5)];
  await world.place.writeScript("daily", steps, `${DOLLAR_CALLS}\nbudget: { per_day: 1.50 }`);
  const id = await stopWaiting(world.place, "daily", { clock: world.clock });
  // The question and its answer survive a restart of the service.
  await using runtime = await world.open();
  const question = await runtime.pendingRequest(id);
  const expected = "Budget per_day ($1.50) of daily is used up. Continue with $0.75 more?";
  assert.equal(question.message, expected);
  assert.deepEqual([question.kind, question.toolName], ["confirm", "budget"]);
  const limits = { budget: "per_day", unit: "usd", limit: 1.5, used: 0.8 };
  assert.deepEqual(question.toolArgs, { ...limits, next_call: 1, raise: 0.75 });
  const { requestId } = question;
  await runtime.respond(id, { requestId, answer: { approved: true } });
  const ended = await toEnd(runtime, id);
  assert.deepEqual([ended.status, ended.outputData, ended.costUsd], ["success", "Done.", 1.3]);
  const [budget] = await runtime.budgets.list("daily");
  const found = [budget?.limit, budget?.raised, budget?.used, budget?.reserved, budget?.left];
  assert.deepEqual(found, [2.25, 0.75, 1.3, 0, 0.95]);

  const second = await runToEnd(runtime, "daily");
  const asked = await runtime.pendingRequest(second.id);
  await runtime.respond(second.id, {
    requestId: asked.requestId,
    answer: { approved: false, reason: "enough" },
  });
  const denied = await toEnd(runtime, second.id);
  assert.deepEqual([denied.status, denied.error], ["aborted", "Aborted: budget per_day ($2.25)"]);
  assert.equal(denied.costUsd, null);
  assert.equal((await runtime.budgets.list("daily"))[0]?.raised, 0.75);
  // A raise applies to one day only.
  world.clock.jump(13 * 3_600_000);
  const [next] = await runtime.budgets.list("daily");
  assert.deepEqual([next?.limit, next?.raised, next?.used], [1.5, 0, 0]);
});

Deno.test("an expired budget question ends the run", async () => {
  await using world = await openBudgetWorld();
  const lines = `${DOLLAR_CALLS}\nbudget: { per_day: 0.50 }\nconfirm_timeout: 5m`;
  await world.place.writeScript("daily", [says("Done.", 1)], lines);
  await using runtime = await world.open();
  const { id, status } = await runToEnd(runtime, "daily");
  assert.equal(status, "waiting");
  await world.clock.skip(5 * 60_000);
  await untilStatus(runtime, id, "aborted");
  const ended = await runtime.getExecution(id);
  assert.deepEqual([ended.status, ended.error], ["aborted", "Aborted: budget per_day ($0.50)"]);
});

Deno.test("on_budget: abort ends the run, for token budgets and for tree budgets", async () => {
  await using world = await openBudgetWorld();
  const lines = `${DOLLAR_CALLS}\nbudget: { per_month: 0.50 }\nauto_approve: "*"`;
  await world.place.writeScript("ends", [says("Done.", 1)], `${lines}\non_budget: abort`);
  await world.place.writeScript("asks", [says("Done.", 1)], lines);
  await using runtime = await world.open();
  const ended = await runToEnd(runtime, "ends");
  assert.deepEqual([ended.status, ended.error], ["aborted", "Aborted: budget per_month ($0.50)"]);
  assert.equal((await runToEnd(runtime, "asks")).status, "waiting");

  const tokens = `${DOLLAR_CALLS}\nbudget: { tokens: { per_day: 100000 } }\non_budget: abort`;
  const reply = [{ say: "Done.", usage: { input: 90_000, output: 5 } }];
  await world.place.writeScript("tokens", reply, tokens);
  assert.equal((await runToEnd(runtime, "tokens")).status, "success");
  const [budget] = await runtime.budgets.list("tokens");
  assert.deepEqual([budget?.budget, budget?.used], ["tokens.per_day", 90_005]);
  // The next call reserves tokens for its whole input. Its tool definitions alone exceed the rest of the budget.
  const settings = `${DOLLAR_CALLS}\nbudget: { tokens: { per_day: 90010 } }\non_budget: abort`;
  await world.place.writeScript("tokens", [says("x", 1)], settings);
  await runtime.reloadAgents();
  const refused = await runToEnd(runtime, "tokens");
  assert.equal(refused.error, "Aborted: budget tokens.per_day (90010 tokens)");

  const leading = `${DOLLAR_CALLS}\nagents: [helper]\nbudget: { tree: 1.90 }\non_budget: abort`;
  const calling = [calls("run_agent", { agent_id: "helper" }, 6), says("All done.", 1)];
  await world.place.writeScript("lead", calling, leading);
  const script = [calls("file_glob", { pattern: "*" }, 9), says("Helped.", 1)];
  await world.place.writeScript("helper", script, `${DOLLAR_CALLS}\non_budget: abort`);
  const lead = await runToEnd(runtime, "lead");
  const [child] = await runtime.listExecutions({ parentId: lead.id, limit: 9, offset: 0 });
  // $0.60 and $0.90 are spent. One more dollar does not fit for the helper or for the lead.
  assert.equal(child?.error, "Aborted: budget tree ($1.90)");
  assert.equal(lead.error, "Aborted: budget tree ($1.90)");
  // Each run of the agent has a new tree budget.
  assert.equal((await runToEnd(runtime, "lead")).costUsd, 0.6);

  const half = [{ say: "Half of it", fail: "the connection broke", retryable: true }];
  await world.place.writeScript("failing", half, `${DOLLAR_CALLS}\nbudget: { per_day: 100 }`);
  const { id: failing } = await runtime.run("failing", {});
  await until(async () => {
    await world.clock.advance(2_000);
    return (await runtime.getExecution(failing)).status !== "running";
  }, "the last attempt");
  const [spent] = await runtime.budgets.list("failing");
  // The model is called four times, and each reply is cut off after some text.
  assert.equal(spent?.reserved, 0);
  assert.ok(spent.used >= 4 * 0.3, String(spent.used));
  assert.equal(Math.round(spent.used * 1e9) % 4, 0);
});

Deno.test("the workspace's budget bounds all agents together", async () => {
  await using world = await openBudgetWorld({ config: "budget: { per_day: 2.50 }" });
  for (const id of ["one", "two", "three"]) {
    await world.place.writeScript(id, [says("Done.", 9)], `${DOLLAR_CALLS}\non_budget: abort`);
  }
  await using runtime = await world.open();
  assert.equal((await runToEnd(runtime, "one")).status, "success");
  assert.equal((await runToEnd(runtime, "two")).status, "success");
  const third = await runToEnd(runtime, "three");
  assert.equal(third.error, "Aborted: budget per_day ($2.50) of the workspace");
  await runtime.budgets.raise({ unit: "usd", period: "day", amount: 1 });
  for (
    const [agentId, period, message] of [
      [undefined, "month", "The workspace has no budget per_month. Its budgets: per_day"],
      ["one", "day", "Agent 'one' has no budget to raise: set budget.per_day first"],
      ["one", "tree", "Agent 'one' has no budget to raise: no run with a budget tree is open"],
    ] as const
  ) {
    const request = { unit: "usd", period, amount: 1, ...(agentId && { agentId }) } as const;
    await assert.rejects(runtime.budgets.raise(request), { message });
  }
  assert.equal((await runToEnd(runtime, "three")).status, "success");
});

Deno.test("spending without a budget counts towards a budget that is set later", async () => {
  await using world = await openBudgetWorld();
  const lines = `${DOLLAR_CALLS}\non_budget: abort`;
  await world.place.writeScript("one", [says("Done.", 9)], lines);
  await using runtime = await world.open();
  assert.equal((await runToEnd(runtime, "one")).costUsd, 0.9);
  assert.equal((await runToEnd(runtime, "one")).status, "success");
  await world.place.writeScript("one", [says("Done.", 9)], `${lines}\nbudget: { per_day: 1.50 }`);
  assert.equal((await runToEnd(runtime, "one")).error, "Aborted: budget per_day ($1.50)");
  assert.equal((await runtime.budgets.list("one"))[0]?.used, 1.8);
});

Deno.test("the spending of a waiting run without a budget is stored", async () => {
  await using world = await openBudgetWorld();
  const steps = [calls("ask_user", { question: "Go on?", kind: "confirm" }, 4), says("Done.", 5)];
  await world.place.writeScript("one", steps, DOLLAR_CALLS);
  await stopWaiting(world.place, "one", { clock: world.clock });
  await world.place.writeScript("one", steps, `${DOLLAR_CALLS}\nbudget: { per_day: 1.50 }`);
  await using runtime = await world.open();
  assert.equal((await runtime.budgets.list("one"))[0]?.used, 0.4);
});

Deno.test("a budget in dollars refuses a model without a price, unless the agent allows it", async () => {
  await using world = await openBudgetWorld({ config: "budget: { per_day: 5 }" });
  const model = "model: { provider: elsewhere, name: m, base_url: http://127.0.0.1:9 }";
  world.place.shell["ELSEWHERE_API_KEY"] = "key";
  await world.place.writeAgent("strict", `---\n${model}\n---\nDo it.\n`);
  const text = `---\n${model}\nunpriced: allow\nsettings: { timeout: 3600 }\n---\nDo it.\n`;
  await world.place.writeAgent("loose", text);
  await using runtime = await world.open();
  const { id: refused } = await runtime.run("strict", {});
  await untilStatus(runtime, refused, "error");
  const strict = await runtime.getExecution(refused);
  assert.equal(
    strict.error,
    "No price is known for elsewhere/m, so budget per_day ($5.00) of the workspace refuses its " +
      "calls: add a price to pricing.yaml, or set `unpriced: allow`",
  );
  // The agent without a budget calls the model, whose connection is refused.
  const { id } = await runtime.run("loose", {});
  await until(async () => {
    await world.clock.advance(2_000);
    return (await runtime.getExecution(id)).status !== "running";
  }, "the last attempt");
  const loose = await toEnd(runtime, id);
  assert.match(loose.error ?? "", /Cannot reach elsewhere/);
});

Deno.test("a model without a price is called until its reported costs have used up a budget", async () => {
  await using world = await openBudgetWorld();
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.8 };
  await using server = new OpenAiServer([], () => ({ text: "Done.", usage }));
  world.place.shell["ELSEWHERE_API_KEY"] = "key";
  await world.place.writeAgent(
    "loose",
    `---\nmodel: { provider: elsewhere, name: m, base_url: "${server.url}" }\nunpriced: allow\n` +
      "budget: { per_day: 1 }\non_budget: abort\n---\nDo it.\n",
  );
  await using runtime = await world.open();
  assert.equal((await runToEnd(runtime, "loose")).costUsd, 0.8);
  assert.equal((await runToEnd(runtime, "loose")).costUsd, 0.8);
  assert.equal((await runToEnd(runtime, "loose")).error, "Aborted: budget per_day ($1.00)");
  assert.equal((await runtime.budgets.list("loose"))[0]?.used, 1.6);
});

Deno.test("a nearly used up budget causes one event and one log line", async () => {
  await using world = await openBudgetWorld();
  const lines = `name: The Daily\n${DOLLAR_CALLS}\nbudget: { per_day: 2.00 }\non_pending: parallel`;
  const steps = [calls("file_glob", { pattern: "*" }, 9), says("Done.", 1)];
  await world.place.writeScript("daily", steps, lines);
  await using runtime = await world.open();
  const events: ServiceEvent[] = [];
  runtime.events.subscribe((event) => {
    if (event.type === "budget_warning") events.push(event);
  });
  await runToEnd(runtime, "daily");
  assert.deepEqual(events, []);
  await runToEnd(runtime, "daily");
  assert.deepEqual(events, [{
    type: "budget_warning",
    agentId: "daily",
    displayName: "The Daily",
    rootId: null,
    budget: "per_day",
    unit: "usd",
    used: 1.9,
    limit: 2,
    resetsAt: Date.parse("2026-03-11T00:00:00.000Z"),
    message: "Budget per_day of The Daily is nearly used up: $1.90 of $2.00",
  }]);
  const count = world.place.logged.filter(({ message }) => /nearly used up/.test(message)).length;
  assert.equal(count, 1);
  assert.equal((await runToEnd(runtime, "daily")).status, "waiting");
  assert.equal(events.length, 1);
});

Deno.test("a budget's day begins in the budget's time zone, even if it has 23 hours", async () => {
  // Berlin changes to summer time on 2026-03-29, so the day ends an hour early.
  await using world = await openBudgetWorld({ start: "2026-03-28T22:30:00.000Z" });
  await world.place.writeScript(
    "daily",
    [says("Done.", 10)],
    `${DOLLAR_CALLS}\nbudget: { per_day: 1, timezone: Europe/Berlin }\non_budget: abort`,
  );
  await using runtime = await world.open();
  const resets = async () =>
    new Date((await runtime.budgets.list("daily"))[0]?.resetsAt ?? 0).toISOString();
  assert.equal(await resets(), "2026-03-28T23:00:00.000Z");
  assert.equal((await runToEnd(runtime, "daily")).status, "success");
  assert.equal((await runToEnd(runtime, "daily")).status, "aborted");
  world.clock.jump(30 * 60_000);
  assert.equal(await resets(), "2026-03-29T22:00:00.000Z");
  assert.equal((await runToEnd(runtime, "daily")).status, "success");
  world.clock.jump(23 * 3_600_000 - 1);
  assert.equal((await runToEnd(runtime, "daily")).status, "aborted");
  world.clock.jump(1);
  assert.equal((await runToEnd(runtime, "daily")).status, "success");
});

Deno.test("a schedule skips its slots until the used up budget resets", async () => {
  await using world = await openBudgetWorld({ start: "2026-03-10T23:55:00.000Z" });
  await world.place.writeScript(
    "daily",
    [says("Done.", 9)],
    `${DOLLAR_CALLS}\nbudget: { per_day: 1.50 }\non_budget: abort\ntrigger: { type: schedule, every: 1m }`,
  );
  await using runtime = await world.open();
  for (let minute = 1; minute <= 5; minute++) {
    await world.clock.advance(60_000);
    const listed = () => runtime.listSlots("daily", { limit: 9, offset: 0 });
    const counted = async () => (await listed()).reduce((sum, { count }) => sum + count, 0);
    await until(async () => await counted() === minute, `slot ${minute} has its outcome`);
    await until(async () => (await runtime.countExecutions()).running === 0, "nothing runs");
  }
  const slots = (await runtime.listSlots("daily", { limit: 9, offset: 0 })).toReversed();
  assert.deepEqual(slots.map(({ outcome, reason, count }) => [outcome, reason, count]), [
    ["run", null, 1],
    // The schedule skips its due times until the budget has the amount of the refused call left.
    ["run", null, 1],
    ["skipped", "budget per_day ($1.50) used up", 2],
    // The budget resets because a new day begins.
    ["run", null, 1],
  ]);
});

Deno.test("the calls of a killed service count in full at the next start", async () => {
  await using world = await openBudgetWorld();
  const lines = `${DOLLAR_CALLS}\nbudget: { per_day: 2 }\non_budget: abort`;
  await world.place.writeScript("daily", [says("Done.", 3)], lines);
  {
    await using runtime = await world.open();
    assert.equal((await runToEnd(runtime, "daily")).status, "success");
    await using db = await world.place.openDatabase();
    const reserved = await new SqlBudgetStore(db, "killed").reserve({
      agentId: "daily",
      executionId: 1,
      rootId: 1,
      at: world.clock.now(),
      most: { nanos: 1_000_000_000, tokens: 10 },
      budgets: [],
    });
    assert.ok("id" in reserved);
  }
  await using runtime = await world.open();
  const [budget] = await runtime.budgets.list("daily");
  assert.deepEqual([budget?.used, budget?.reserved, budget?.left], [1.3, 0, 0.7]);
  assert.equal((await runToEnd(runtime, "daily")).error, "Aborted: budget per_day ($2.00)");
  assert.ok(world.place.logged.some(({ message }) => /count in full in the budgets/.test(message)));
});
