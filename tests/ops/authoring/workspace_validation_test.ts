import assert from "node:assert/strict";
import { join } from "node:path";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import { describeSetup } from "../../../ops/setup/setup_report.ts";
import { validateWorkspace } from "../../../ops/authoring/workspace_validation.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";
import { programEntry } from "../../runtime/tools/mcp/mcp_world.ts";

const ECHO = "---\nmodel: { provider: demo, name: echo }\n---\nHello.\n";

/** Returns the diagnostics of the checked files, by agent id. */
async function validate(place: TestWorkspace, target?: string): Promise<Record<string, string[]>> {
  const files = await validateWorkspace(await place.settings(), target, { cwd: place.root });
  return Object.fromEntries(
    files.map(({ agentId, diagnostics }) => [agentId, diagnostics.map(formatDiagnostic)]),
  );
}

Deno.test("validateWorkspace() checks every agent file, one agent or one file", async () => {
  await using place = await createTestWorkspace();
  await place.writeAgent("a", ECHO);
  await place.writeAgent("é b", ECHO);
  await place.writeAgent("README", "Not an agent.");
  const elsewhere = join(place.root, "other.md");
  await Deno.writeTextFile(elsewhere, "---\nhistory: long\n---\nHello.\n");
  assert.deepEqual(await validate(place), { "a": [], "é b": [] });
  assert.deepEqual(await validate(place, "e\u0301 b"), { "é b": [] });
  assert.deepEqual(await validate(place, "other"), {});
  const [error] = (await validate(place, "other.md"))["other"] ?? [];
  assert.match(error ?? "", /other\.md:2:10: history must be low, medium, high or off, got "long"/);
  assert.deepEqual(await validate(place, "missing.md"), {});

  await place.writeAgent("good", ECHO);
  const pathOf = (name: string) => join(place.agentsDir, name);
  await Deno.symlink("/nowhere/to/be/found", pathOf("lost.md"));
  await Deno.symlink(pathOf("circle.md"), pathOf("circle.md"));
  await Deno.symlink(place.root, pathOf("folder.md"));
  await new Deno.Command("mkfifo", { args: [pathOf("pipe.md")] }).output();
  await Deno.writeFile(pathOf("huge.md"), new Uint8Array(4 * 1_024 * 1_024 + 1));
  assert.deepEqual(await validate(place), {
    circle: [`${pathOf("circle.md")}:1:1: The file cannot be read: its links lead in a circle`],
    ...{ a: [], "é b": [], good: [] },
    huge: [`${pathOf("huge.md")}:1:1: The file is over 4 MB`],
    lost: [`${pathOf("lost.md")}:1:1: The file cannot be read: the link leads nowhere`],
  });
});

Deno.test("validateWorkspace() quotes no secret of a file", async () => {
  await using place = await createTestWorkspace({ shell: { MY_TOKEN: "tok-12345678" } });
  await place.writeAgent("a", "---\nhistory: tok-12345678\ntok-12345678: 1\n---\nHello.\n");
  const found = (await validate(place))["a"]?.join("\n") ?? "";
  assert.match(found, /got "\[redacted:MY_TOKEN\]"/);
  assert.doesNotMatch(found, /tok-/);
});

Deno.test("validateWorkspace() refuses a missing workspace, but checks a single file anywhere", async () => {
  await using place = await createTestWorkspace();
  await Deno.remove(place.workspace, { recursive: true });
  const found = `${place.workspace}:1:1: The workspace does not exist ` +
    `(create the folder, or name another folder in ${join(place.configDir, "config.yaml")})`;
  assert.deepEqual(await validate(place), { work: [found] });
  assert.deepEqual(await validate(place, "a"), { work: [found] });
  await Deno.writeTextFile(join(place.root, "other.md"), ECHO);
  assert.deepEqual(await validate(place, "other.md"), { other: [] });
});

Deno.test("validateWorkspace() refuses the second of two files with the same id", async () => {
  await using place = await createTestWorkspace();
  const [first, second] = ["e\u0301", "\u00e9"];
  await place.writeAgent(first, ECHO);
  await place.writeAgent(second, ECHO.replace("model", "typo: 1\nmodel"));
  const path = (name: string) => join(place.agentsDir, `${name}.md`);
  const clash = `${path(second)}:1:1: Another file has the same id: ${path(first)}`;
  for (const target of [undefined, first, second]) {
    const files = await validateWorkspace(await place.settings(), target, { cwd: place.root });
    assert.deepEqual(files.map((one) => [one.agentId, one.path, one.diagnostics.length]), [
      [second, path(first), 0],
      [second, path(second), 2],
    ]);
    assert.equal(formatDiagnostic(files[1]?.diagnostics[0] ?? assert.fail()), clash);
    assert.equal(files[1]?.diagnostics[0]?.severity, "error");
  }
  const [only] = await validateWorkspace(await place.settings(), path(second), { cwd: "/" });
  assert.equal(only?.diagnostics.length, 2);
});

Deno.test("validateWorkspace() gives one reason for each ignored file", async () => {
  await using place = await createTestWorkspace();
  const every = ECHO.replace("model", "trigger: { type: schedule, every: 1h }\nmodel");
  for (const folder of ["team", "empty", "_config", ".git"]) {
    await Deno.mkdir(join(place.agentsDir, folder));
  }
  const ignored = ["team/reviewer.md", "planner.markdown", "UP.MD", "daily.yaml"];
  const documents = ["AGENTS", "CLAUDE", "LICENSE", "CONTRIBUTING", "CHANGELOG", "SECURITY"]
    .map((name) => `${name}.md`);
  for (const name of [...ignored, ...documents, "_config/x.md", ".git/y.md"]) {
    await Deno.writeTextFile(join(place.agentsDir, name), "x");
  }
  const cases = {
    report: [every, []],
    "report 2": [every, ["warning This is a copy of report.md and is not enabled"]],
    "report (1)": [every, ["warning This is a copy of report.md and is not enabled"]],
    after: [`<!-- kept -->\n${ECHO}`, [
      "error The front matter is not read: its first --- must be",
    ]],
    toml: ["+++\na = 1\n+++\n", ["error The front matter is not read: it is TOML"]],
    broken: ["---\nmodel: {provider: demo name: echo\n---\n", ["error Broken YAML: Block coll"]],
    planner: ["", ["warning The file is ignored: the name of an agent file ends with .md"]],
    UP: ["", ["warning The file is ignored: the name of an agent file ends with .md"]],
    daily: ["", ["warning The file is ignored: an agent is a Markdown file"]],
    team: ["", ["warning The folder is ignored: agents are files of the agents folder itself"]],
  } satisfies Record<string, [string, string[]]>;
  for (const [id, [text]] of Object.entries(cases)) {
    if (text !== "") await place.writeAgent(id, text);
  }
  const files = await validateWorkspace(await place.settings(), undefined, { cwd: place.root });
  assert.deepEqual(files.map(({ agentId }) => agentId).sort(), Object.keys(cases).sort());
  for (const { agentId, diagnostics } of files) {
    const [, expected] = cases[agentId as keyof typeof cases];
    const found = diagnostics.filter(({ message }) =>
      !message.startsWith("This agent starts by itself")
    )
      .map(({ severity, message }) => `${severity} ${message}`);
    assert.deepEqual(found.map((one, k) => one.slice(0, expected[k]?.length)), expected, agentId);
  }
});

Deno.test("validate, list and info report a file in the place of the agents directory", async () => {
  await using place = await createTestWorkspace();
  await Deno.remove(place.agentsDir);
  await Deno.writeTextFile(place.agentsDir, "");
  const found = `${place.agentsDir}:1:1: The agents directory cannot be read: ` +
    "a file stands where a folder should";
  assert.deepEqual(await validate(place), { agents: [found] });
  assert.deepEqual(await validate(place, "a"), { agents: [found] });
  await using runtime = await place.open({ mode: "read-only" });
  assert.deepEqual(await runtime.listAgents(), []);
  assert.deepEqual(runtime.brokenAgentFiles().flatMap(({ diagnostics }) => diagnostics).length, 1);
  const setup = await describeSetup(await place.settings());
  assert.deepEqual([setup.configFileExists, setup.workspaceEnvFileExists], [true, false]);
});

Deno.test("validateWorkspace() reports problems of config.yaml only for a whole workspace", async () => {
  await using place = await createTestWorkspace();
  const config = join(place.configDir, "config.yaml");
  await Deno.writeTextFile(config, `workspace: ${place.workspace}\ndefalts: {}\n`);
  await place.writeAgent("a", ECHO);
  const folder = join(place.agentsDir, "_config");
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, ".env"), "OPENAI_API_KEY sk-12345678\n");
  await Deno.writeTextFile(join(folder, "pricing.yaml"), "gpt: {input: -1, output: 1}\n");
  assert.deepEqual(await validate(place), {
    "config.yaml": [`${config}:2:1: Unknown key defalts: it is ignored (did you mean "defaults"?)`],
    ".env": [
      `${folder}/.env:1:1: The line is not a variable: write NAME=value, or # before a comment`,
    ],
    "pricing.yaml": [`${folder}/pricing.yaml:1:14: gpt.input must not be negative, got -1`],
    "a": [],
  });
  assert.deepEqual(await validate(place, "a"), { a: [] });
});

Deno.test("validateWorkspace() reports a broken price, and does not advise to add a price", async () => {
  const agent = (name: string, settings: string) =>
    `---\nmodel: { provider: mine, name: ${name}, base_url: "http://127.0.0.1:1/v1" }\n${settings}---\nHello.\n`;
  const limit = "settings: { max_cost_usd: 1 }\n";
  for (const defaults of ["", "defaults: { max_cost_usd: 1 }\n"]) {
    await using place = await createTestWorkspace();
    await place.configure(defaults);
    const own = defaults === "" ? limit : "";
    await place.writeAgent("good", agent("good", own));
    await place.writeAgent("bad", agent("bad-2025-01-01", own));
    await place.writeAgent("unnamed", agent("unnamed", own));
    const pricing = join(place.agentsDir, "_config/pricing.yaml");
    await Deno.mkdir(join(pricing, ".."));
    const priceWarnings = async (target: string) =>
      ((await validate(place, target))[target] ?? []).filter((one) => !one.includes("key of model"))
        .map((one) => one.replace(/^.*\.md:\d+:\d+: /, ""));
    await Deno.writeTextFile(
      pricing,
      "mine/good: { input: 1, output: 2 }\nmine/bad: { input: -1, output: 2 }\n",
    );
    assert.deepEqual(await priceWarnings("good"), []);
    assert.deepEqual(await priceWarnings("bad"), [
      `The price of mine/bad-2025-01-01 is broken: ${pricing}:2:20: ` +
      '"mine/bad".input must not be negative, got -1 ' +
      "(until it is fixed, max_cost_usd is not enforced, unless the endpoint reports costs)",
    ]);
    const text = (await priceWarnings("unnamed")).join("\n");
    assert.match(text, /^No price is known for .*add a price/);

    await Deno.writeTextFile(pricing, "mine/good: [\n");
    const expected =
      /No price can be read, so max_cost_usd is not enforced: .*pricing\.yaml:\d+:\d+: Broken YAML/;
    assert.match((await priceWarnings("good")).join("\n"), expected);
  }
});

Deno.test("validateWorkspace() names the price that replaces a broken price", async () => {
  await using place = await createTestWorkspace({ shell: { OPENAI_API_KEY: "sk-123456789012" } });
  await Deno.mkdir(join(place.agentsDir, "_config"));
  await Deno.writeTextFile(join(place.agentsDir, "_config/pricing.yaml"), "gpt-4o: 5\nmine: 5\n");
  const agent = (model: string, more = "") => `---\nmodel: ${model}\n${more}---\nHello.\n`;
  const limit = "settings: { max_cost_usd: 1 }\n";
  await place.writeAgent("a", agent("{ provider: openai, name: gpt-4o }", limit));
  await place.writeAgent(
    "b",
    agent("{ provider: ollama, name: mine }", "budget: { per_day: 1 }\n"),
  );
  await place.writeAgent("c", agent("{ provider: ollama, name: mine }"));
  const found = async (id: string) => ((await validate(place, id))[id] ?? []).join("\n");
  assert.match(await found("a"), /another source's price is used\)$/);
  assert.match(await found("b"), /its budget in dollars refuses all calls\)$/);
  assert.equal(await found("c"), "", "it needs no price");
  await Deno.writeTextFile(
    join(place.configDir, "pricing.yaml"),
    "mine: { input: 1, output: 1 }\n",
  );
  assert.match(await found("b"), /another source's price is used\)$/);
});

Deno.test("validateWorkspace() reports unusable and unknown notification channels", async () => {
  await using place = await createTestWorkspace({ shell: { HOOK: "not-a-secret-of-webhooks" } });
  await place.configure(`notify:
  channels:
    team: { type: slack, url: TEAM }
    hook: { type: webhook, url: "https://in.example", secret: HOOK }
    phone: { type: ntfy, topic: t }
    off: { type: command, run: [no-such-program] }
    gone: { type: command, run: [/no/such/program], allow: true }
`);
  await place.writeAgent("a", ECHO.replace("---\n", "---\nnotify: { to: [phone, phoen] }\n"));
  const { "config.yaml": config = [], a = [] } = await validate(place);
  const found = config.map((one) => one.replace(/^.*config\.yaml:\d+:\d+: /, ""));
  assert.equal(found.length, 4);
  assert.match(found[0] ?? "", /notify\.channels\.off is off/);
  assert.match(found[1] ?? "", /The channel team cannot deliver: the variable TEAM is not set/);
  assert.match(found[2] ?? "", /The channel hook cannot deliver: its secret must be whsec_/);
  assert.match(found[3] ?? "", /The channel gone cannot deliver: \/no\/such\/program is not/);
  assert.equal(a.length, 1);
  assert.match(a[0] ?? "", /a\.md:2:23: notify\.to names "phoen".*did you mean "phone"\?/);
});

Deno.test("validateWorkspace() with --connect reports a failed server at its field", async () => {
  await using place = await createTestWorkspace();
  await place.writeAgent("a", ECHO.replace("\n---\n", "\nmcp: [fixture, dies, fixture]\n---\n"));
  const file = join(place.agentsDir, "_config/mcp-servers.json");
  await Deno.mkdir(join(place.agentsDir, "_config"), { recursive: true });
  const dies = { command: "sh", args: ["-c", "echo no key >&2; exit 3"], sandbox: false };
  await Deno.writeTextFile(file, JSON.stringify({ fixture: programEntry("plain"), dies }));
  const settings = await place.settings();
  const looked = await validateWorkspace(settings, undefined, { cwd: place.root });
  assert.deepEqual(looked.flatMap(({ diagnostics }) => diagnostics), []);
  const [agent, servers] = await validateWorkspace(settings, "a", {
    cwd: place.root,
    connect: "0.0.0-test",
  });
  assert.deepEqual(agent?.diagnostics.map(({ line, severity }) => [line, severity]), [[
    3,
    "error",
  ]]);
  assert.match(
    agent?.diagnostics[0]?.message ?? "",
    /"dies" cannot be used: .*exit code 3.*no key/,
  );
  assert.deepEqual(servers?.connected?.map(({ server }) => server), ["fixture"]);
  assert.ok((servers?.connected?.[0]?.tools ?? 0) > 3);
});
