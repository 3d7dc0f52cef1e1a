// Tests the JSON Schemas of the files that people write: against the parsers, and in the real YAML language server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Schema, Validator } from "@cfworker/json-schema";
import { parse as parseYaml } from "yaml";
import { createFileSchema } from "../../../ops/authoring/file_schema.ts";
import { Installation } from "../../../ops/setup/installation.ts";
import { splitFrontMatter } from "../../../runtime/config/files/front_matter.ts";
import { parseConfig } from "../../../runtime/config/parse_config.ts";
import { parseServers } from "../../../runtime/tools/mcp/servers_file/parse_servers.ts";
import { parse } from "../../runtime/agents/parsed_file.ts";
import { filesBelow, REPOSITORY } from "../../support/repository.ts";
import { createTempDir } from "../../support/temp_dir.ts";
import { TestClock } from "../../support/test_clock.ts";
import { LanguageServer } from "./language_server.ts";

const validatorOf = (kind: Parameters<typeof createFileSchema>[0]) =>
  new Validator(createFileSchema(kind) as Schema, "7", false);
const VALIDATORS = {
  agent: validatorOf("agent"),
  config: validatorOf("config"),
  mcp: validatorOf("mcp"),
};
const faultsOf = (kind: keyof typeof VALIDATORS, value: unknown) =>
  VALIDATORS[kind].validate(value ?? {}).errors;

Deno.test("createFileSchema() accepts every example", () => {
  // Hidden folders contain agent files of other tools.
  const examples = filesBelow(join(REPOSITORY, "examples")).filter((path) => !path.includes("/."));
  const counts = { agent: 0, config: 0, mcp: 0 };
  for (const path of examples) {
    const text = Deno.readTextFileSync(path);
    const kind = /\/agents\/[^/]+\.md$/.test(path)
      ? "agent"
      : path.endsWith("/config.yaml")
      ? "config"
      : path.endsWith("/mcp-servers.json")
      ? "mcp"
      : undefined;
    if (kind === undefined) continue;
    counts[kind]++;
    const parts = splitFrontMatter(text);
    const yaml = kind !== "agent" ? text : typeof parts === "string" ? "" : parts.yaml ?? "";
    assert.deepEqual(faultsOf(kind, parseYaml(yaml)), [], path);
  }
  assert.ok(counts.agent > 20 && counts.config > 2 && counts.mcp > 0, JSON.stringify(counts));
});

/** Front matter in short notations that the parser converts. */
const SHORT = [
  "model: openai/gpt-5",
  "model: { name: x, base_url: null, fallback: ollama/a }",
  "model: { name: x, fallback: [ollama/a, { provider: demo, name: echo }] }",
  "retry: 3",
  "retry: { on: network, wait: 5 minutes }",
  "shell: true",
  "shell: false",
  "mail: home",
  "mail: { account: home, to: ann@example.com }",
  "after: other",
  "after: { agent: other, on: any }",
  "after: [a, { agent: b }]",
  "trigger:",
  "trigger: { type: schedule, every: 5 minutes }",
  "trigger: { type: watch, paths: in, debounce: 2s }",
  "trigger: { type: watch, paths: [in], debounce: 0.2, max_failures: none }",
  "settings: { max_duration: 90, max_cost_usd: none, max_tool_calls: none, temperature: }",
  "settings: { max_duration: none }",
  "confirm_timeout: none",
  "confirm_timeout: 2h",
  "paths: notes",
  "paths: [a, { path: b, description: x }]",
  "paths: { a: b, c: { path: d } }",
  "nodes: gpu",
  "skills: one",
  'auto_approve: "*"',
  "output: { schema: { type: object, properties: {} } }",
  "budget: { per_day: none, tokens: { tree: 5 } }",
  "notify: { on: [error] }",
];

Deno.test("createFileSchema() accepts the short notations of agent files, as the parser does", () => {
  const config = parseConfig("defaults: { provider: openai }", { path: "/c.yaml", home: "/h" });
  assert.ok("config" in config);
  for (const yaml of SHORT) {
    const parsed = parse(`---\n${yaml}\n---\nDo it.\n`, { config: config.config });
    assert.ok("agent" in parsed, `${yaml}: ${JSON.stringify(parsed)}`);
    assert.deepEqual(faultsOf("agent", parseYaml(yaml)), [], yaml);
  }
});

Deno.test("createFileSchema() refuses mistakes, and requires only what the parser requires", () => {
  const wrong = [
    "trigger: { type: schedul }",
    "trigger: { typ: watch }",
    "every: 5m",
    "model: { provider: openai }",
    "settings: { temperature: 7 }",
    "confirm_timeout: soon",
    "confirm_timeout: 30",
    "history: all",
    "id: x",
    "retry: often",
    "shell: yes please",
    "after: [{ on: any }]",
    "nodes: Big_Disk",
  ];
  for (const yaml of wrong) {
    assert.notDeepEqual(faultsOf("agent", parseYaml(yaml)), [], yaml);
    const parsed = parse(`---\n${yaml}\n---\nDo it.\n`);
    assert.ok("diagnostics" in parsed || parsed.agent.warnings.length > 0, yaml);
  }
  assert.notDeepEqual(faultsOf("config", { defaults: { max_tokens: "many" } }), []);
  assert.deepEqual(faultsOf("config", {}), []);
});

Deno.test("createFileSchema() accepts the forms of mcp-servers.json", () => {
  const program = { command: "npx", args: ["-y", "x"], env: { A: "${A}" }, sandbox: false };
  const remote = { type: "http", url: "https://example.com/mcp", timeout: "5m", disabled: true };
  const documents = [
    { program, remote },
    { $schema: "./schema.json", mcpServers: { program, remote } },
    { inputs: [], servers: { remote: { ...remote, timeout: 90, oauthOfAnotherClient: {} } } },
    { mcp: { servers: { program: { ...program, sandbox: { read: ["a"] } } } } },
  ];
  for (const document of documents) {
    const parsed = parseServers(JSON.stringify(document), "/x.json");
    assert.ok("servers" in parsed && parsed.servers.size > 0);
    assert.deepEqual(faultsOf("mcp", document), [], JSON.stringify(document));
  }
  assert.notDeepEqual(faultsOf("mcp", { mcpServers: { a: { command: 3 } } }), []);
  assert.notDeepEqual(faultsOf("mcp", { a: { url: "x", headers: [] } }), []);
});

const EDITOR = { validate: true, completion: true, hover: true, schemaStore: { enable: false } };

Deno.test("an editor completes, explains and checks config.yaml and the front matter of agent files", async () => {
  await using home = await createTempDir();
  const options = { home: home.path, cwd: home.path, shell: {}, clock: new TestClock() };
  await new Installation(options).write({ model: { provider: "demo", model: "echo" } });
  const path = join(home.path, ".config", "inkling", "config.yaml");
  const written = await Deno.readTextFile(path);
  const uri = pathToFileURL(path).href;
  await using server = await LanguageServer.start(EDITOR);
  assert.deepEqual(await server.open(uri, written), []);

  const lines = [...written.trimEnd().split("\n"), "  temperature: hot", "  on_pending: ", "  "];
  const at = (line: number, character: number) => ({
    textDocument: { uri: `${uri}.yaml` },
    position: { line: lines.length - line, character },
  });
  const [problem, ...others] = await server.open(`${uri}.yaml`, lines.join("\n"));
  assert.deepEqual(others, []);
  assert.deepEqual(problem?.range.start, { line: lines.length - 3, character: 15 });
  assert.match(problem?.message ?? "", /Incorrect type/);
  const hover = await server.request("textDocument/hover", at(3, 5));
  assert.match(JSON.stringify(hover), /The model's sampling temperature \(default: 0\.7\)/);
  const keys = await server.request("textDocument/completion", at(1, 2));
  assert.deepEqual(labelsOf(keys).filter((one) => /history|provider|per_day/.test(one)), [
    "history",
  ]);
  const values = labelsOf(await server.request("textDocument/completion", at(2, 14)));
  assert.deepEqual(values.filter((one) => one !== "null"), ["skip", "parallel"]);

  const schema = join(home.path, "agent.schema.json");
  await Deno.writeTextFile(schema, JSON.stringify(createFileSchema("agent")));
  const file =
    "---\nmodel: openai/gpt-5\ntrigger:\n  type: schedul\n  every: 5m\n  \n---\nDo it.\n";
  const parts = splitFrontMatter(file);
  assert.ok(typeof parts !== "string");
  const comment = "# yaml-language-server: $schema=./agent.schema.json\n";
  const part = pathToFileURL(join(home.path, "part.yaml")).href;
  const [wrong, ...more] = await server.open(part, comment + parts.yaml);
  assert.deepEqual(more, []);
  // The comment takes the place of the line of the opening dashes, so the lines are those of the file.
  assert.deepEqual(wrong?.range.start, { line: 3, character: 8 });
  assert.match(wrong?.message ?? "", /"manual", "schedule", "watch", "webhook"/);
  const place = { textDocument: { uri: part }, position: { line: 5, character: 2 } };
  const labels = labelsOf(await server.request("textDocument/completion", place));
  assert.ok(labels.includes("timezone") && !labels.includes("every"), labels.join());
});

function labelsOf(answer: unknown): string[] {
  return (answer as { items: { label: string }[] }).items.map(({ label }) => label);
}
