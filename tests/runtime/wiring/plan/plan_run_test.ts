// Compares the plan of `inkling show` with the run that follows.
import assert from "node:assert/strict";
import { join } from "node:path";
import { isSamePrompt } from "../../../../runtime/prompt/system_prompt.ts";
import type { FirstMessage } from "../../../../runtime/executions/record/conversation.ts";
import type { Message } from "../../../../runtime/models/message.ts";
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import { OpenAiServer } from "../../../support/models/openai_server.ts";
import { TestClock } from "../../../support/test_clock.ts";
import type { TestWorkspace } from "../../../support/test_workspace.ts";
import { createTestWorkspace, rowsOf, runToEnd, toEnd } from "../../../support/test_workspace.ts";
import { createToolPlace, writeConfig as put } from "../../executions/executions_of.ts";
import { programEntry } from "../../tools/mcp/mcp_world.ts";

const HOUR_MS = 3_600_000;

const HAIKU = "---\nname: haiku\ndescription: Writes haiku\n---\nWrite a haiku.\n";

/** Writes an agent that uses a scripted endpoint, a skill, another agent, a memory and a guard. */
async function writeAgent(
  place: TestWorkspace,
  server: OpenAiServer,
  { id = "writer", more = "", body = "Write about ${TOPIC}, as $0 asked." } = {},
): Promise<void> {
  await put(place, "skills/haiku/SKILL.md", HAIKU);
  await place.writeAgent("helper", "---\ndescription: Helps\n---\nHelp.\n");
  await place.writeAgent(
    id,
    `---\nmodel: { provider: local, name: m, base_url: "${server.url}" }\n` +
      `skills: [haiku]\nagents: [helper]\n${more}---\n${body}\n`,
  );
}

/** Returns a message in the form that the endpoint receives. */
function toWire({ message }: FirstMessage): unknown {
  const { role, content } = message;
  if (message.role === "tool") return { role, tool_call_id: message.toolCallId, content };
  if (message.role !== "assistant" || message.toolCalls.length === 0) return { role, content };
  return {
    role,
    content: content || null,
    tool_calls: message.toolCalls.map(({ id, name, arguments: args }) => ({
      id,
      type: "function",
      function: { name, arguments: args },
    })),
  };
}

async function messagesOf(runtime: Runtime, id: string): Promise<FirstMessage[]> {
  const { messages, problems } = await runtime.planRun(id, { withMessages: true });
  assert.deepEqual(problems, []);
  assert.ok(messages !== null);
  return messages;
}

async function filesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) found.push(...await filesIn(path));
    else found.push(path);
  }
  return found.sort();
}

Deno.test("planRun() returns exactly the messages of the next run", async () => {
  await using place = await createTestWorkspace({ shell: { TOPIC: "rain" } });
  const toolCalls = [{ name: "file_glob", arguments: { pattern: "*" } }];
  await using server = new OpenAiServer([{ toolCalls }, { text: "Drip." }, { text: "Drop." }]);
  const more = "trigger: { type: manual, input: 'Go on. {context}' }\n";
  await writeAgent(place, server, { more });
  await using runtime = await place.open({ clock: new TestClock() });
  const first = await messagesOf(runtime, "writer");
  assert.deepEqual(first.map(({ message }) => message.role), ["system", "user"]);
  assert.equal((await runToEnd(runtime, "writer")).status, "success");
  assert.deepEqual(first.map(toWire), server.request(0).body["messages"]);
  const second = await messagesOf(runtime, "writer");
  // Runs of another agent, and the agent's chat sessions, are not in the history.
  assert.deepEqual(second.map(({ message, seeded }) => [message.role, seeded]), [
    ["system", false],
    ...["user", "assistant", "tool", "assistant"].map((role) => [role, true]),
    ["user", false],
  ]);
  assert.equal((await runToEnd(runtime, "writer")).status, "success");
  assert.deepEqual(second.map(toWire), server.request(2).body["messages"]);
  assert.match(String(second[0]?.message.content), /Write about rain/);
  server.assertDone();
});

Deno.test("planRun() describes the scheduled run of an agent with a schedule", async () => {
  await using place = await createTestWorkspace();
  await using server = new OpenAiServer([{ text: "Done." }]);
  const more = 'trigger: { type: schedule, cron: "0 * * * *", timezone: UTC }\n';
  await writeAgent(place, server, { more });
  const clock = new TestClock("2026-01-01T00:59:50.000Z");
  await using runtime = await place.open({ clock });
  const plan = await runtime.planRun("writer", { withMessages: true });
  const due = clock.now() + 10_000;
  assert.deepEqual(plan.upcoming, [due, due + HOUR_MS, due + 2 * HOUR_MS]);
  const [system, user] = plan.messages ?? [];
  await clock.advance(10_000);
  await server.received(1);
  const [execution] = await runtime.listRuns("writer", { limit: 1, offset: 0 });
  await toEnd(runtime, execution?.id ?? 0);
  const sent = server.request(0).body["messages"] as unknown as Message[];
  assert.equal(user?.message.content, "Execute your task. (scheduled: cron 0 * * * *)");
  assert.equal(sent[1]?.content, user?.message.content);
  // The prompts may differ in the time, which has passed meanwhile.
  assert.ok(isSamePrompt(String(system?.message.content), String(sent[0]?.content)));
});

Deno.test("planRun() lists the available tools, and the reason for each unavailable source", async () => {
  const shell = { OPENAI_API_KEY: "sk-live-0123456789" };
  await using place = await createToolPlace({ shell });
  await using server = new OpenAiServer();
  const gone = { command: "/no/such/program", sandbox: false };
  const mcpServers = { shelf: programEntry("plain", { UNUSED: "${NOT_SET:-}" }), gone };
  await put(place, "mcp-servers.json", JSON.stringify({ mcpServers }));
  const tool = 'export default { description: "Own", effect: "idempotent", run: () => "ok" };';
  await put(place, "tools/own.ts", tool);
  await put(place, "tools/broken.ts", "export default {");
  const more = "mcp: [gone, shelf]\ntools: [broken, own]\nconfirm: [http_request, no_such_tool]\n" +
    "auto_approve: [file_write]\n";
  await writeAgent(place, server, { more, body: "Use ${OPENAI_API_KEY}." });
  await place.writeAgent(
    "lost",
    "---\nmodel: { provider: anthropic, name: m }\nskills: lost\n---\nGo.\n",
  );
  await using runtime = await place.open();
  const before = { rows: await rowsOf(place), logged: place.logged.length };
  const files = await filesIn(place.root);
  const plan = await runtime.planRun("writer", { withMessages: true });
  assert.equal(plan.problems.length, 2, plan.problems.join("\n"));
  assert.match(plan.problems[0] ?? "", /The custom tool broken cannot be used/);
  assert.match(plan.problems[1] ?? "", /The MCP server "gone"/);
  assert.ok(plan.tools.some(({ server }) => server === "shelf"));
  assert.ok(plan.tools.some(({ name, source }) => name === "own" && source === "custom"));
  const own = plan.tools.filter(({ server, source }) => server === null && source !== "custom");
  const told = own.map(({ name, source, guarded, effect }) => [
    name,
    [source, guarded, effect].join(" "),
  ]);
  assert.equal(new Set(plan.tools.map(({ name }) => name)).size, plan.tools.length);
  assert.deepEqual(Object.fromEntries(told), {
    file_read: "builtin false read",
    file_search: "builtin false read",
    file_write: "builtin false idempotent",
    file_edit: "builtin false unsafe",
    file_delete: "builtin true unsafe",
    file_move: "builtin false unsafe",
    file_glob: "builtin false read",
    http_request: "builtin true varies",
    memory_save: "builtin false idempotent",
    memory_append: "builtin false unsafe",
    memory_retrieve: "builtin false read",
    ask_user: "builtin false read",
    wait: "builtin false read",
    run_agent: "delegation false varies",
    skill_use: "skills false read",
    skill_read_file: "skills false read",
    skill_run_script: "skills false unsafe",
  });
  assert.match(String(plan.messages?.[0]?.message.content), /haiku/);
  assert.deepEqual(plan.notices, [
    "A key of a model provider or a webhook stays out of the prompt (variables: OPENAI_API_KEY)",
  ]);
  const lost = await runtime.planRun("lost", { withMessages: true });
  assert.deepEqual(lost.key, { variable: "ANTHROPIC_API_KEY", isSet: false });
  assert.equal(lost.problems.length, 2, lost.problems.join("\n"));
  for (const named of [/skill.*lost/i, /ANTHROPIC_API_KEY is not set/]) {
    assert.match(lost.problems.join("\n"), named);
  }
  assert.deepEqual(await rowsOf(place), before.rows);
  assert.deepEqual(await filesIn(place.root), files);
  const warned = place.logged.slice(before.logged).filter(({ level }) => level !== "info");
  assert.deepEqual(warned, []);
  assert.deepEqual(server.requests, []);
});

Deno.test("planRun() names the source of each setting, with its line", async () => {
  await using place = await createTestWorkspace();
  await place.configure(
    "defaults:\n  provider: demo\n  model: echo\n  max_tokens: 1000\n" +
      "  temperature:\n  max_cost_usd: 2\n  history: off\n  budget: { per_day: 3, tree: 1 }\n",
  );
  await place.writeAgent(
    "a",
    "---\nname: A\nhistory:\nconfirm_timeout: 5m\nauto_approve: [file_write]\nsettings:\n" +
      "  timeout: 60\n  max_cost_usd: null\nbudget:\n  per_day: 2\n  tokens: { tree: 500 }\nnodes: [gpu, big-disk]\nretry: 2\nshell: { allow: [git log *], timeout: 5m }\n---\nGo.\n",
  );
  await using runtime = await place.open();
  const told = async () => {
    const { settings } = await runtime.planRun("a", { withMessages: false });
    return Object.fromEntries(settings.map(({ name, value, from, line }) => [
      name,
      [value, from, ...(line === null ? [] : [line])].join(" "),
    ]));
  };
  assert.deepEqual(await told(), {
    model: "demo/echo config 4",
    history: "off config 8",
    on_pending: "skip default",
    confirm_timeout: "5m file 4",
    max_wait: "30d default",
    on_restart: "orphan default",
    on_budget: "pause default",
    unpriced: "refuse default",
    "budget.per_day": "2 file 10",
    "budget.tree": "1 config 9",
    "budget.tokens.tree": "500 file 11",
    nodes: "gpu, big-disk file 12",
    shell: "{ allow: [git log *], timeout: 5m } file 14",
    temperature: "0.7 default",
    max_tokens: "1000 config 5",
    timeout: "60 file 7",
    max_tool_calls: "50 default",
    max_execution_tokens: "500000 default",
    max_cost_usd: "none file 8",
    max_duration: "none default",
    retry: "{ times: 2, on: [network, provider, rate_limit] } file 13",
    loop_detection: "true default",
    confirm: "file_delete file 5",
    auto_approve: "file_write file 5",
  });
  // The last valid definition applies. The lines of its fields are unknown.
  await place.writeAgent("a", "---\nname: [\n---\nGo.\n");
  await runtime.reloadAgents();
  assert.equal((await told())["timeout"], "60 unknown");
});

Deno.test("planRun() lists the settings that only an agent's file has, without their defaults", async () => {
  await using place = await createTestWorkspace();
  const lines = (text: string) => `---\nmodel: demo/echo\n${text}---\nGo.\n`;
  await place.writeAgent("plain", lines("approvals: 1\n"));
  await place.writeAgent(
    "a",
    lines(
      "approvers: [anna, operator]\napprovals: 2\nexclude_starter: true\nmax_concurrent_runs: 3\n" +
        "only_on: [studio, tower]\nnotify: { on: [], to: [phone] }\nexpose: true\n" +
        "mail: { account: home, to: [ann@example.com] }\n",
    ),
  );
  await place.writeAgent(
    "b",
    lines("exclude_starter: true\nmail: home\nnotify: { on: [error] }\n"),
  );
  await using runtime = await place.open();
  const names = async (id: string) =>
    (await runtime.planRun(id, { withMessages: false })).settings
      .flatMap(({ name, value, from, line }) =>
        OWN.includes(name) ? [[name, value, from, line]] : []
      );
  assert.deepEqual(await names("plain"), []);
  assert.deepEqual(await names("a"), [
    ["approvers", "anna, operator", "file", 3],
    ["approvals", "2", "file", 4],
    ["exclude_starter", "true", "file", 5],
    ["max_concurrent_runs", "3", "file", 6],
    ["only_on", "studio, tower", "file", 7],
    ["mail", "{ account: home, to: [ann@example.com] }", "file", 10],
    ["notify", "{ on: [], to: [phone] }", "file", 8],
    ["expose", "true", "file", 9],
  ]);
  assert.deepEqual(await names("b"), [
    ["exclude_starter", "true", "file", 3],
    ["mail", "home", "file", 4],
    ["notify", "{ on: [error] }", "file", 5],
  ]);
});

const OWN = [
  ...["approvers", "approvals", "exclude_starter", "max_concurrent_runs", "nodes", "only_on"],
  ...["mail", "notify", "expose"],
];

Deno.test("planRun() shows no secret, and works without write access", async () => {
  const secret = "tok-0123456789";
  await using place = await createTestWorkspace({ shell: { MY_TOKEN: secret } });
  await place.writeAgent(
    "a",
    "---\nmodel: { provider: demo, name: echo }\npaths: [lost, .]\n" +
      'trigger: { type: schedule, cron: "0 * * * *", timezone: UTC }\n---\nUse ${MY_TOKEN}.\n',
  );
  const clock = new TestClock();
  await using runtime = await place.open({ clock, mode: "read-only" });
  const plan = await runtime.planRun("a", { withMessages: true });
  assert.ok(!JSON.stringify(plan).includes(secret));
  assert.match(String(plan.messages?.[0]?.message.content), /Use \[redacted:MY_TOKEN\]\./);
  assert.deepEqual(plan.upcoming, [1, 2, 3].map((hours) => clock.now() + hours * HOUR_MS));
  const expected = [["lost", false], ["work", true]];
  assert.deepEqual(plan.paths.map(({ alias, exists }) => [alias, exists]), expected);
  await assert.rejects(Deno.lstat(place.stateDir), Deno.errors.NotFound);
});
