import assert from "node:assert/strict";
import { isGuarded } from "../../../runtime/agents/guarded_tools.ts";
import { createTestAgent } from "../../support/test_agent.ts";
import { agentOf, configOf, parse } from "./parsed_file.ts";

Deno.test("parseAgent() gives an agent without front matter every default", () => {
  const result = parse("# Title\n\n---\n\nDo it.\n");
  assert.ok("agent" in result);
  // createTestAgent() has the defaults in all other fields.
  assert.deepEqual(result.agent, {
    ...createTestAgent({ id: "daily", displayName: "daily", sourcePath: "/work/agents/daily.md" }),
    icon: result.agent.icon,
    model: undefined,
    confirmTools: ["file_delete", "file_write"],
    body: "# Title\n\n---\n\nDo it.",
  });
});

Deno.test("parseAgent() reads every field", () => {
  const agent = agentOf(
    `name: Tägliche Übersicht 2
description: What it does
icon: ⚙️
model: {provider: my-server, name: "m:1", url: "http://10.0.0.2:8000", api_key_env: MY_KEY, stream_usage: false}
trigger: {type: watch, paths: [inbox, inbox], filters: {include: ["*.pdf"], exclude: ["~*"]}, debounce: 2s, max_runs: 50, max_failures: none, same_content: true, catch_up: once, input: "See {path}"}
settings: {temperature: 0, max_tokens: 10, timeout: 5, max_tool_calls: null, max_execution_tokens: none, max_cost_usd: 0.5, max_duration: 1h30m, loop_detection: false}
retry: {times: 2, wait: 90s, on: rate_limit}
tools: [search, -file_delete]
mcp: [files]
skills: writing
agents: [a, b]
after: [collector, {agent: mailer, on: any}]
paths: {notes: notes, home_docs: {path: ~/docs, description: Papers}}
history: off
confirm: [http_request]
auto_approve: [file_write]
on_pending: parallel
confirm_timeout: 1h30m
max_wait: 2h
on_restart: resume
notify: {on: [waiting, success], to: [phone]}
budget: {per_day: 2.50, per_month: 30, tree: 1, timezone: Europe/Paris, tokens: {per_day: 1000, per_month: none, tree: 5}}
on_budget: abort
unpriced: allow
max_concurrent_runs: 2
nodes: [gpu, big-disk, gpu]
only_on: studio
approvers: [anna, operator, anna]
approvals: 2
exclude_starter: true
enabled: false`,
  );
  assert.deepEqual(agent, {
    after: [{ agentId: "collector", on: "success" }, { agentId: "mailer", on: "any" }],
    maxFailures: null,
    id: "daily",
    displayName: "Tägliche Übersicht 2",
    description: "What it does",
    icon: "⚙️",
    isIconSet: true,
    model: {
      provider: "my-server",
      name: "m:1",
      baseUrl: "http://10.0.0.2:8000",
      apiKeyEnv: "MY_KEY",
      streamUsage: false,
    },
    trigger: {
      type: "watch",
      paths: ["inbox"],
      filters: { include: ["*.pdf"], exclude: ["~*"] },
      debounceMs: 2_000,
      maxRuns: 50,
      sameContent: true,
      catchUp: "once",
      input: "See {path}",
    },
    settings: {
      temperature: 0,
      maxTokens: 10,
      timeout: 5,
      maxToolCalls: null,
      maxExecutionTokens: null,
      maxCostUsd: 0.5,
      maxDuration: 5_400,
      loopDetection: false,
    },
    retry: { times: 2, wait: 90_000, on: ["rate_limit"] },
    budget: {
      perDay: 2.5,
      perMonth: 30,
      tree: 1,
      timezone: "Europe/Paris",
      tokens: { perDay: 1_000, perMonth: null, tree: 5 },
    },
    maxConcurrentRuns: 2,
    nodes: ["gpu", "big-disk"],
    onlyOn: ["studio"],
    approvers: ["anna", "operator"],
    approvals: 2,
    excludeStarter: true,
    customTools: ["search"],
    leftOut: ["file_delete"],
    mcp: ["files"],
    skills: ["writing"],
    agents: ["a", "b"],
    paths: [
      { alias: "notes", path: "/work/notes" },
      { alias: "home_docs", path: "/home/me/docs", description: "Papers" },
    ],
    history: "off",
    confirmTools: ["file_delete", "http_request"],
    freedGuards: ["file_write"],
    mcpConfirm: "none",
    autoApprove: ["file_write"],
    onPending: "parallel",
    confirmTimeout: 5_400_000,
    maxWait: 7_200_000,
    onRestart: "resume",
    notify: { on: ["waiting", "success"], to: ["phone"] },
    onBudget: "abort",
    unpriced: "allow",
    enabled: false,
    body: "Do it.",
    sourcePath: "/work/agents/daily.md",
    warnings: [],
  });
});

Deno.test("parseAgent() takes missing and empty fields from config.yaml", () => {
  const config = configOf(
    `defaults: {provider: ollama, model: m, confirm_tools: [], on_pending: parallel, confirm_timeout: 5m,
  on_restart: resume, temperature: 0.1, max_tokens: 9, timeout: 8, max_tool_calls: 7,
  max_execution_tokens: null, max_cost_usd: 2, max_duration: 60, loop_detection: false, history: high}`,
  );
  const agent = agentOf("settings: {max_tool_calls: 3}\nconfirm_timeout: none", { config });
  assert.deepEqual(agent.model, { provider: "ollama", name: "m", streamUsage: true });
  assert.deepEqual(agent.settings, {
    temperature: 0.1,
    maxTokens: 9,
    timeout: 8,
    maxToolCalls: 3,
    maxExecutionTokens: null,
    maxCostUsd: 2,
    maxDuration: 60,
    loopDetection: false,
  });
  assert.deepEqual(
    [
      ...[agent.confirmTools, agent.onPending, agent.confirmTimeout],
      ...[agent.onRestart, agent.history],
    ],
    [[], "parallel", null, "resume", "high"],
  );

  const keys =
    "name description icon model trigger settings tools mcp skills agents paths history " +
    "confirm auto_approve on_pending confirm_timeout on_restart enabled";
  const ofSettings = "temperature max_tokens timeout loop_detection";
  const empty = (names: string, indent = "") =>
    names.split(" ").map((name) => `${indent}${name}:`).join("\n");
  const defaults = configOf(
    `defaults: {provider: ollama, model: m, confirm_tools: [], on_pending: parallel, confirm_timeout: 2s,
  on_restart: resume, history: off, temperature: 0.1, max_tokens: 5, timeout: 6, loop_detection: false}`,
  );
  for (const options of [{}, { config: defaults }]) {
    const absent = agentOf("", options);
    assert.deepEqual(agentOf(empty(keys), options), absent);
    const nested = keys.replace(" settings", "");
    const found = agentOf(`${empty(nested)}\nsettings:\n${empty(ofSettings, "  ")}`, options);
    assert.deepEqual(found, absent);
  }
  assert.equal(agentOf("confirm_timeout:", { config: defaults }).confirmTimeout, 2_000);
  assert.equal(agentOf("confirm_timeout: none", { config: defaults }).confirmTimeout, null);

  const budgets = configOf(
    `defaults:
  budget: {per_day: 2, per_month: 30, timezone: Asia/Tokyo, tokens: {tree: 9}}
  on_budget: abort
  unpriced: allow`,
  );
  const spender = agentOf("budget: {per_day: 5, per_month: none, tokens: {per_day: 7}}", {
    config: budgets,
  });
  const tokens = { perDay: 7, perMonth: null, tree: 9 };
  const timezone = "Asia/Tokyo";
  assert.deepEqual(spender.budget, { perDay: 5, perMonth: null, tree: null, timezone, tokens });
  assert.deepEqual([spender.onBudget, spender.unpriced], ["abort", "allow"]);
});

Deno.test("parseAgent() reads path aliases, stars and triggers in every form", () => {
  const { paths } = agentOf('paths: [notes, a/Notes, ~/Été 24, /, "2024", lib/workspace, _x]');
  assert.deepEqual(paths.map(({ alias, path }) => [alias, path]), [
    ["notes", "/work/notes"],
    ["notes_2", "/work/a/Notes"],
    ["p_t__24", "/home/me/Été 24"],
    ["root", "/"],
    ["p_2024", "/work/2024"],
    ["workspace_2", "/work/lib/workspace"],
    ["p_x", "/work/_x"],
  ]);

  for (const written of ['["*"]', "[all]", "[http_request, all]"]) {
    const free = agentOf(`auto_approve: ${written}\nconfirm: [http_request]`);
    assert.deepEqual([free.autoApprove, free.confirmTools], ["*", []]);
    const guarded = agentOf(`confirm: ${written}\nauto_approve: [file_write]`);
    assert.deepEqual([guarded.autoApprove, guarded.confirmTools], [["file_write"], ["*"]]);
    const config = configOf(`defaults: {confirm_tools: ${written}}`);
    assert.deepEqual(agentOf("history: off", { config }).confirmTools, ["*"]);
    assert.deepEqual(agentOf("auto_approve: all", { config }).confirmTools, []);
  }
  assert.equal(agentOf('auto_approve: "*"').autoApprove, "*");

  const watch = { type: "watch", paths: ["x"], filters: {}, debounceMs: 500, maxRuns: 200 };
  const cron = { type: "schedule", timezone: "Europe/Paris", catchUp: "none" };
  const rows: [written: string, trigger: object][] = [
    ["type: watch, paths: x, debounce: 1.5", { ...watch, debounceMs: 1_500 }],
    ["type: watch, paths: [x], debounce: 500ms", watch],
    ["type: watch, paths: [x], debounce: 2s", { ...watch, debounceMs: 2_000 }],
    ["type: watch, paths: [x], debounce: 0", { ...watch, debounceMs: 0 }],
    ...["0 8 * * 1-5", "@daily", "@weekly", "@midnight", "@annually"].map((
      text,
    ): [string, object] => [
      `type: schedule, cron: "${text}", timezone: Europe/Paris`,
      { ...cron, cron: text },
    ]),
  ];
  for (const [written, trigger] of rows) {
    assert.partialDeepStrictEqual(agentOf(`trigger: {${written}}`).trigger, trigger, written);
  }
});

Deno.test("isGuarded() exempts a tool by its final name, not by its name at a server", () => {
  const files = { name: "fs_file_write", otherNames: ["file_write", "fs_file_write"] };
  const cases: [yaml: string, own: boolean, ofServer: boolean][] = [
    ["history: off", true, true],
    ["auto_approve: [file_write]", false, true],
    ["auto_approve: [fs_file_write]", true, false],
    ["auto_approve: [file_write, fs_file_write]", false, false],
    ['auto_approve: [file_write]\nconfirm: ["*"]', false, true],
    ['auto_approve: "*"', false, false],
  ];
  for (const [yaml, own, ofServer] of cases) {
    const agent = agentOf(yaml);
    assert.equal(isGuarded(agent, { name: "file_write" }), own, yaml);
    assert.equal(isGuarded(agent, files), ofServer, yaml);
  }
});

Deno.test("isGuarded() applies mcp_confirm unless auto_approve names the tool or its server", () => {
  const tool = (name: string, isReadOnly: boolean) => ({
    name,
    otherNames: [name, `fs_${name}`],
    origin: { server: "fs", tool: name, isReadOnly },
  });
  const write = tool("put", false);
  const read = tool("get_all", true);
  const cases: [mode: string, yaml: string, write: boolean, read: boolean][] = [
    ["", "mcp: [fs]", false, false],
    ["none", "mcp: [fs]", false, false],
    ["writes", "mcp: [fs]", true, false],
    ["all", "mcp: [fs]", true, true],
    ["all", "mcp: [fs]\nauto_approve: [put]", false, true],
    ["all", "mcp: [fs]\nauto_approve: [fs/put]", false, true],
    ["all", "mcp: [fs]\nauto_approve: [fs/get_*]", true, false],
    ["all", "mcp: [fs]\nauto_approve: [fs/*]", false, false],
    ["all", "mcp: [fs]\nauto_approve: [fs/g*_*l, fs/p*p*ut]", true, false],
    ["all", "mcp: [fs]\nauto_approve: [fs/ge, '*', 'x']", false, false],
    ["all", "mcp: [fs]\nauto_approve: [fs/ge, f/*, f*, fs, fs/, get_*]", true, true],
    // A server's name may contain a slash. An entry of that server frees no tool of another server.
    ["all", "mcp: [fs, fs/get_all]\nauto_approve: [fs/get_all/*]", true, true],
    ["all", "mcp: [other]\nauto_approve: [fs/*]", true, true],
    ["none", "mcp: [fs]\nconfirm: [fs/p*]", true, false],
    ["none", "mcp: [fs]\nconfirm: [put]\nauto_approve: [fs/*]", true, false],
    ["none", "mcp: [fs]\nconfirm: [put]\nauto_approve: [fs/put]", false, false],
    ["none", 'mcp: [fs]\nconfirm: ["*"]\nauto_approve: [fs/get_*]', true, false],
  ];
  for (const [mode, yaml, ofWrite, ofRead] of cases) {
    const config = configOf(mode === "" ? "" : `defaults: {mcp_confirm: ${mode}}`);
    const agent = agentOf(yaml, { config });
    assert.equal(isGuarded(agent, write), ofWrite, `${mode} ${yaml}: put`);
    assert.equal(isGuarded(agent, read), ofRead, `${mode} ${yaml}: get_all`);
    assert.equal(isGuarded(agent, { name: "search" }), yaml.includes('confirm: ["*"]'), yaml);
  }
});

Deno.test("parseAgent() gives agents of the default provider the default base_url, unless they set another", () => {
  const address = "https://gateway.example/v1";
  const config = configOf(`defaults: {provider: openai, model: m, base_url: '${address}'}`);
  const rows: [model: string, address: string | undefined][] = [
    ["provider: openai, name: x", address],
    ["provider: openai, name: x, base_url: 'https://own.example'", "https://own.example"],
    ["provider: openai, name: x, url: 'https://own.example'", "https://own.example"],
    ["provider: anthropic, name: x", undefined],
  ];
  for (const [model, expected] of rows) {
    assert.equal(agentOf(`model: {${model}}`, { config }).model?.baseUrl, expected, model);
  }
  const entries =
    "[openai/x, z, anthropic/c, {provider: mine, name: d, api_key_env: OTHER}, mine/e]";
  const mine =
    `{provider: mine, name: m, base_url: 'https://m.example', api_key_env: K, fallback: ${entries}}`;
  const own = { baseUrl: "https://m.example", streamUsage: true };
  assert.deepEqual(agentOf(`model: ${mine}`, { config }).model?.fallback, [
    { provider: "openai", name: "x", baseUrl: address, streamUsage: true },
    { provider: "openai", name: "z", baseUrl: address, streamUsage: true },
    { provider: "anthropic", name: "c", streamUsage: true },
    { provider: "mine", name: "d", ...own, apiKeyEnv: "OTHER" },
    { provider: "mine", name: "e", ...own, apiKeyEnv: "K" },
  ]);
  // Without a known provider before the slash, the text is the name of a model of the default provider.
  const named = { provider: "openai", name: "meta/x", baseUrl: address, streamUsage: true };
  assert.deepEqual(agentOf("model: {name: m, fallback: meta/x}", { config }).model?.fallback, [
    named,
  ]);
  const alone = agentOf("model: x", { config }).model;
  assert.deepEqual(alone, { provider: "openai", name: "x", baseUrl: address, streamUsage: true });
});

Deno.test("parseAgent() reads the text of a model by the providers that are known", () => {
  const router = "{provider: router, model: r/m, base_url: 'https://r.example/v1'}";
  const rows: [defaults: string, text: string | undefined, expected: string][] = [
    ["{provider: openai}", "gpt-5", "openai gpt-5"],
    ["{provider: openai}", "ollama/qwen3:32b", "ollama qwen3:32b"],
    ["{provider: openai}", "openai/x/y", "openai x/y"],
    ["{provider: openai}", "x/y", "openai x/y"],
    [router, "meta-llama/llama-4", "router meta-llama/llama-4"],
    [router, "router/openai/gpt-5", "router openai/gpt-5"],
    [router, "openai/gpt-5", "openai gpt-5"],
    [router, undefined, "router r/m"],
    ["{model: openai/gpt-5}", undefined, "openai gpt-5"],
    ["{model: openai/gpt-5}", "gpt-4o", "openai gpt-4o"],
    ["{provider: openai, model: openai/gpt-5}", undefined, "openai gpt-5"],
    ["{provider: openai, model: x/gpt-5}", undefined, "openai x/gpt-5"],
  ];
  for (const [defaults, text, expected] of rows) {
    const config = configOf(`defaults: ${defaults}`);
    const { model } = agentOf(text === undefined ? "icon: x" : `model: ${text}`, { config });
    assert.equal(`${model?.provider} ${model?.name}`, expected, `${defaults} ${text}`);
  }
  const config = configOf("defaults: {provider: anthropic}");
  const [warning] = agentOf("model: opnai/gpt-5", { config }).warnings;
  assert.equal(warning?.hint, 'did you mean "openai/gpt-5"?');
  assert.equal(warning?.severity, "warning");
  const [unused] = configOf("defaults: {model: gpt-5}").warnings;
  assert.match(unused?.message ?? "", /^defaults\.model is not used: it must be provider\/name/);
});
