import assert from "node:assert/strict";
import { AgentDetail, AgentSummary } from "../../../api/schemas/agent_schemas.ts";
import { ExecutionSummary } from "../../../api/schemas/execution_schemas.ts";
import { PlanBody } from "../../../api/schemas/plan_schemas.ts";
import { definitionSchema } from "../../../runtime/agents/definition.ts";
import { fakeAgent } from "../../support/fake_agent.ts";
import { fakePlan } from "../../support/fake_plan.ts";
import { createTestApp, type TestApp } from "../../support/test_app.ts";

Deno.test("GET /agents lists each agent with its trigger, model and times", async () => {
  const { call, runtime, clock } = createTestApp();
  const lastExecution = runtime.addExecution({ agentId: "b" });
  runtime.addAgent(fakeAgent("a", { displayName: "Anna", description: "Does a" }));
  runtime.addAgent(
    fakeAgent("b", { trigger: { type: "schedule", every: "5m", catchUp: "none" } }),
    { lastExecution, nextRun: clock.now() + 300_000 },
  );
  runtime.addAgent(fakeAgent("c", {
    model: undefined,
    enabled: false,
    trigger: {
      type: "watch",
      paths: ["in"],
      filters: { include: [], exclude: [] },
      debounceMs: 500,
      maxRuns: 200,
      catchUp: "none",
    },
  }));
  const { status, body } = await call("/agents");
  assert.equal(status, 200);
  for (const one of body) assert.deepEqual(AgentSummary.parse(one), one);
  const [{ icon: _icon, ...first }] = body;
  assert.deepEqual(first, {
    icon_set: false,
    ...{ id: "a", display_name: "Anna", name: "Anna", description: "Does a", enabled: true },
    ...{ trigger_type: "manual", model_provider: "demo", model_name: "script" },
    ...{ trigger_every: null, trigger_cron: null, trigger_paths: [], trigger_scheme: null },
    ...{
      trigger_source: null,
      after: [],
      last_run: null,
      last_status: null,
      last_execution_id: null,
    },
    ...{ next_run: null, trigger_paused: null },
  });
  assert.equal(body[1].trigger_every, "5m");
  assert.equal(body[1].last_run, "2026-01-01T00:00:00.000Z");
  assert.equal(body[1].next_run, "2026-01-01T00:05:00.000Z");
  assert.deepEqual(
    [body[2].trigger_paths, body[2].model_provider, body[2].enabled],
    [["in"], null, false],
  );
});

Deno.test("GET /agents/{id} returns the complete configuration", async () => {
  const { call, runtime } = createTestApp();
  const lastExecution = runtime.addExecution({ agentId: "writer", status: "success" });
  runtime.addAgent(
    fakeAgent("writer", {
      paths: [{ alias: "notes", path: "/home/me/notes" }, { alias: "out", path: "/tmp/out" }],
      trigger: {
        type: "watch",
        paths: ["in/*.md"],
        filters: { include: ["*.md"], exclude: ["*~"] },
        debounceMs: 2_500,
        maxRuns: 200,
        catchUp: "once",
        input: "See {path}",
      },
      confirmTimeout: 5_400_000,
      autoApprove: "*",
      confirmTools: [],
      maxWait: null,
      nodes: ["gpu"],
      onlyOn: ["studio"],
      approvers: ["anna", "operator"],
      approvals: 2,
      retry: { times: 2, wait: 90_000, on: ["network"] },
      notify: { to: ["phone"] },
      shell: {
        ...{ allow: ["git log *"], deny: ["git push *"], net: ["registry.example.com"] },
        ...{ env: ["MY_TOKEN"], timeoutMs: 600_000 },
      },
      mail: { account: "home" },
      warnings: [{ path: "w.md", line: 2, column: 1, severity: "warning", message: "Odd" }],
    }),
    { lastExecution },
  );
  const { status, body } = await call("/agents/writer");
  assert.equal(status, 200);
  assert.deepEqual(AgentDetail.parse(body), body);
  assert.deepEqual(body.settings, {
    temperature: 0.7,
    max_tokens: 4096,
    timeout: 300,
    max_tool_calls: 50,
    max_execution_tokens: 500_000,
    max_cost_usd: null,
    max_duration: null,
    loop_detection: true,
  });
  assert.deepEqual(body.mail, { account: "home", to: null });
  assert.deepEqual(body.paths, { notes: "/home/me/notes", out: "/tmp/out" });
  assert.deepEqual(body.trigger, {
    type: "watch",
    paths: ["in/*.md"],
    filters: { include: ["*.md"], exclude: ["*~"] },
    debounce: 2.5,
    max_runs: 200,
    catch_up: "once",
    input: "See {path}",
  });
  assert.deepEqual(
    [body.history, body.on_pending, body.confirm_timeout, body.max_wait, body.on_restart],
    ["low", "skip", "1h30m", "none", "orphan"],
  );
  assert.deepEqual(
    [body.approvers, body.approvals, body.exclude_starter, body.max_concurrent_runs, body.only_on],
    [["anna", "operator"], 2, false, null, ["studio"]],
  );
  assert.deepEqual(body.retry, { times: 2, wait: "1m30s", on: ["network"] });
  assert.deepEqual(body.notify, { on: null, to: ["phone"] });
  assert.deepEqual(body.budget, {
    ...{ per_day: null, per_month: null, tree: null, timezone: null },
    tokens: { per_day: null, per_month: null, tree: null },
  });
  assert.equal(body.auto_approve, "*");
  assert.deepEqual(body.nodes, ["gpu"]);
  assert.equal(body.mcp_confirm, "none");
  assert.deepEqual(body.shell, {
    ...{ allow: ["git log *"], deny: ["git push *"], net: ["registry.example.com"] },
    ...{ env: ["MY_TOKEN"], timeout: "10m" },
  });
  assert.deepEqual(body.warnings, [
    { path: "w.md", line: 2, column: 1, severity: "warning", message: "Odd", hint: null },
  ]);
  assert.equal(body.last_execution.status, "success");
  assert.equal(body.last_run, body.last_execution.started_at);
});

/** The fields of agent files that have another name in responses. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  tools: "custom_tools",
  model: "model_name",
  output: "output_schema",
};

Deno.test("AgentDetail contains every field of agent files", () => {
  const { id: _id, ...fields } = definitionSchema.shape;
  const names = Object.keys(fields).map((name) => OTHER_NAMES[name] ?? name);
  assert.deepEqual(names.filter((name) => !(name in AgentDetail.shape)), []);
});

Deno.test("GET /agents/{id} finds ids with spaces and accents", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("Café du matin", { displayName: "Coffee" }));
  const found = await call(`/agents/${encodeURIComponent("Café du matin")}`);
  assert.deepEqual([found.status, found.body.id], [200, "Café du matin"]);
  assert.equal(found.body.shell, null);
  assert.equal((await call("/agents/Coffee")).status, 404);
  const table = [["a%2Fb", "a/b"], ["100%25", "100%"], ["%2520", "%20"]] as const;
  for (const [segment, id] of table) {
    const { status, body } = await call(`/agents/${segment}`);
    assert.deepEqual([segment, status, body], [segment, 404, {
      detail: `Agent '${id}' not found`,
    }]);
  }
  assert.equal((await call("/agents/%E0%A4%A")).status, 404);
});

async function statusOf({ call }: TestApp, path: string): Promise<number> {
  return (await call(path)).status;
}

Deno.test("GET /agents/{id}/runs returns ten entries per page, also for a deleted agent", async () => {
  const test = createTestApp();
  for (let n = 0; n < 12; n++) test.runtime.addExecution({ agentId: "gone" });
  const { status, body } = await test.call("/agents/gone/runs");
  assert.equal(status, 200);
  assert.deepEqual(body.map(({ id }: ExecutionSummary) => id), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  const page = await test.call("/agents/gone/runs?limit=1&offset=11");
  assert.deepEqual(page.body.map(({ id }: ExecutionSummary) => id), [1]);
  assert.equal(await statusOf(test, "/agents/never/runs"), 404);
  assert.equal(await statusOf(test, "/agents/gone/runs?limit=0"), 422);
});

Deno.test("an agent named reload can be read and run", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("reload"));
  assert.equal((await call("/agents/reload")).body.id, "reload");
  assert.equal((await call("/agents/reload/run", { method: "POST" })).status, 200);
});

Deno.test("GET /agents/{id}/slots returns fifty scheduled times per page by default", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("daily"));
  const slot = { agentId: "daily", reason: null, executionId: null, count: 1 };
  const scheduledFor = Date.parse("2026-01-01T08:30:00.000Z");
  runtime.slots.push(
    { ...slot, scheduledFor, outcome: "run", executionId: 1 },
    { ...slot, scheduledFor, outcome: "missed", reason: "asleep", executionId: 2, count: 3 },
  );
  for (let n = 3; n <= 501; n++) {
    runtime.slots.push({ ...slot, scheduledFor, outcome: "run", executionId: n });
  }
  const { status, body } = await call("/agents/daily/slots?limit=2");
  assert.equal(status, 200);
  const scheduled_for = "2026-01-01T08:30:00.000Z";
  assert.deepEqual(body, [
    { scheduled_for, outcome: "run", reason: null, execution_id: 1, count: 1 },
    { scheduled_for, outcome: "missed", reason: "asleep", execution_id: 2, count: 3 },
  ]);
  const page = async (query: string) => {
    const { body } = await call(`/agents/daily/slots${query}`);
    return [body.length, body[0].execution_id];
  };
  assert.deepEqual(await page(""), [50, 1]);
  assert.deepEqual(await page("?offset=10"), [50, 11]);
  assert.deepEqual(await page("?limit=500"), [500, 1]);
  assert.deepEqual(await page("?limit=2&offset=500"), [1, 501]);
  for (const limit of [0, 501]) {
    assert.equal((await call(`/agents/daily/slots?limit=${limit}`)).status, 422);
  }
});

Deno.test("GET /agents/{id}/plan returns the messages only on request", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("writer"));
  runtime.plans.set("writer", fakePlan({ upcoming: [Date.UTC(2026, 0, 2)] }));
  const { status, body } = await call("/agents/writer/plan");
  assert.equal(status, 200);
  assert.deepEqual(PlanBody.parse(body), body);
  assert.equal(body.agent.id, "writer");
  assert.equal(body.messages, null);
  assert.deepEqual(body.upcoming, ["2026-01-02T00:00:00.000Z"]);
  assert.deepEqual(body.key, { variable: "OPENAI_API_KEY", is_set: true });
  const whole = (await call("/agents/writer/plan?prompt=true")).body;
  assert.deepEqual(PlanBody.parse(whole), whole);
  assert.deepEqual(whole.messages[2], {
    role: "assistant",
    content: "",
    seeded: true,
    tool_calls: [{ id: "c", name: "file_read", arguments: '{"path":"notes.md"}' }],
  });
  assert.equal((await call("/agents/writer/plan?prompt=yes")).status, 422);
  assert.equal((await call("/agents/nobody/plan?prompt=yes")).status, 404);
});

Deno.test("a changed agent changes the body and the ETag of GET /agents", async () => {
  const { app, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("a"));
  const listings = await runtime.listAgents();
  runtime.listAgents = () => Promise.resolve(listings);
  const ask = async () => {
    const response = await app.request("/agents");
    return { tag: response.headers.get("etag"), text: await response.text() };
  };
  const first = await ask();
  assert.deepEqual(await ask(), first);
  const changed = listings.map((one) => ({ ...one, triggerPaused: "Changed" }));
  runtime.listAgents = () => Promise.resolve(changed);
  const second = await ask();
  assert.notEqual(second.tag, first.tag);
  assert.match(second.text, /"trigger_paused":"Changed"/);
});
