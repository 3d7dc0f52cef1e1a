import assert from "node:assert/strict";
import type { BudgetFigures } from "../../../runtime/interface/runtime.ts";
import { BudgetBody } from "../../../api/schemas/budget_schemas.ts";
import { createTestApp } from "../../support/test_app.ts";

const DAY: BudgetFigures = {
  budget: "per_day",
  unit: "usd",
  period: "day",
  agentId: "writer",
  executionId: null,
  limit: 3,
  raised: 1,
  used: 1.25,
  reserved: 0.5,
  left: 1.25,
  resetsAt: Date.parse("2026-01-02T00:00:00.000Z"),
};

Deno.test("GET /budgets returns the current budgets of all agents or of one", async () => {
  const { call, runtime } = createTestApp();
  runtime.budgetFigures = [{ ...DAY, agentId: null }, DAY];
  const { status, body } = await call("/budgets");
  assert.equal(status, 200);
  const all = (body as unknown[]).map((one) => BudgetBody.parse(one));
  assert.deepEqual(all, body);
  assert.deepEqual(all.map(({ agent_id }) => agent_id), [null, "writer"]);
  assert.deepEqual((await call("/budgets?agent=writer")).body, [{
    agent_id: "writer",
    execution_id: null,
    budget: "per_day",
    unit: "usd",
    period: "day",
    limit: 3,
    raised: 1,
    used: 1.25,
    reserved: 0.5,
    left: 1.25,
    resets_at: "2026-01-02T00:00:00.000Z",
  }]);
});

Deno.test("POST /budgets/raise raises a budget and refuses unknown fields", async () => {
  const { call, runtime } = createTestApp();
  runtime.budgetFigures = [DAY];
  const raise = (json: unknown) => call("/budgets/raise", { method: "POST", json });
  assert.equal((await raise({ agent: "writer", period: "day", amount: 1 })).status, 200);
  await raise({ period: "tree", unit: "tokens", execution_id: 7, amount: 500 });
  assert.deepEqual(runtime.raises, [
    { unit: "usd", period: "day", amount: 1, agentId: "writer", by: { via: "api" } },
    { unit: "tokens", period: "tree", amount: 500, executionId: 7, by: { via: "api" } },
  ]);
  for (
    const wrong of [
      { period: "day", amount: 0 },
      { period: "day", amount: -1 },
      { period: "week", amount: 1 },
      { agent_id: "writer", period: "day", amount: 1 },
    ]
  ) assert.equal((await raise(wrong)).status, 422, JSON.stringify(wrong));
  runtime.budgetFigures = [];
  assert.equal((await raise({ period: "day", amount: 1 })).status, 409);
});
