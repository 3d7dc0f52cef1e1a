// Tests the names of an agent's tools: built-in tools that its file leaves out, and tools that replace a built-in tool.
import assert from "node:assert/strict";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { validateWorkspace } from "../../../ops/authoring/workspace_validation.ts";
import {
  BUILTIN_TOOL_NAMES,
  builtinToolsBy,
  yieldsName,
} from "../../../runtime/vocabulary/builtin_tools.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { runToEnd, type TestWorkspace } from "../../support/test_workspace.ts";
import {
  call,
  createToolPlace,
  doing,
  resultsOf,
  writeConfig,
} from "../executions/executions_of.ts";
import { assertIdentical } from "../replay/replayed.ts";
import { OpenAiServer } from "../../support/models/openai_server.ts";
import { FixtureHttpServer } from "./mcp/http_server.ts";

/** The lines of an agent file that request the built-in tools that not every agent has, except web_search. */
const LINES = "\nshell: true\nmail: home";
const ACCOUNT = "{ address: ann@example.com, imap: 127.0.0.1:9, smtp: 127.0.0.1:9, tls: false, " +
  "password_env: HOME_PASSWORD }";
const SEARCH = {
  lines: 'search: { provider: searxng, base_url: "http://127.0.0.1:9" }\n' +
    `mail: { home: ${ACCOUNT} }\n`,
  shell: { HOME_PASSWORD: "secret" },
};
/** The built-in tools that give up their name. */
const YIELDING = BUILTIN_TOOL_NAMES.filter(yieldsName);

const OWN = `export default {
  description: "Mine",
  parameters: { type: "object", properties: {} },
  run: () => "mine",
};`;

/** Returns the warnings and errors of an agent file, without the one about a missing sandbox. */
async function problemsOf(place: TestWorkspace, agent: string): Promise<string[]> {
  const files = await validateWorkspace(await place.settings(), agent, { cwd: place.root });
  return files.flatMap(({ diagnostics }) => diagnostics)
    .map(({ severity, message }) => `${severity} ${message}`)
    .filter((text) => !text.includes("run without a sandbox"));
}

async function sourcesOf(runtime: Runtime, agent: string): Promise<Record<string, string>> {
  const { tools } = await runtime.planRun(agent, { withMessages: false });
  return Object.fromEntries(tools.map(({ name, source }) => [name, source]));
}

Deno.test("an agent does not have the built-in tools that its file leaves out, and may have tools of these names", async () => {
  await using place = await createToolPlace();
  await writeConfig(place, "skills/haiku/SKILL.md", "---\ndescription: Writes\n---\nWrite.\n");
  await writeConfig(place, "tools/file_read.ts", OWN);
  const steps = doing(call("http_request", { url: "http://127.0.0.1:1" }), call("file_read"));
  const lines = "tools: [-http_request, file_read, -file_read, -memory_save, -skill_run_script]\n" +
    "skills: haiku";
  await place.writeScript("small", steps, lines);
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "small");
  const [refused, own] = (await resultsOf(runtime, id)).map(({ content }) => String(content));
  assert.match(refused ?? "", /http_request.*Available: /);
  assert.equal(own, "mine");
  const left = ["http_request", "memory_save", "skill_run_script"];
  const expected = BUILTIN_TOOL_NAMES.filter((name) =>
    !left.includes(name) &&
    !["run_agent", "shell", "web_search", ...builtinToolsBy("mail")].includes(name)
  );
  const sources = await sourcesOf(runtime, "small");
  assert.deepEqual(Object.keys(sources).sort(), expected.sort());
  assert.equal(sources["file_read"], "custom");
  await assertIdentical(runtime, id);
  assert.deepEqual(await problemsOf(place, "small"), []);

  await place.writeScript("asking", steps, "tools: [-http_request]\nconfirm: [http_request]");
  assert.deepEqual(await problemsOf(place, "asking"), [
    "warning confirm names http_request, which the agent's tools leave out",
  ]);
});

Deno.test("the newer built-in tools together take at most 600 tokens of a request", async () => {
  await using place = await createToolPlace(SEARCH);
  await using endpoint = new OpenAiServer([{ text: "ok" }]);
  const model = `{ provider: local, name: m, base_url: "${endpoint.url}" }`;
  await place.writeAgent(
    "all",
    `---\nmodel: ${model}\nshell: true\ntools: [web_search]\n---\nGo.\n`,
  );
  await using runtime = await place.open();
  await runToEnd(runtime, "all");
  const tools = z.array(z.object({ function: z.object({ name: z.string() }).loose() }))
    .parse(endpoint.requests[0]?.body["tools"]).map((one) => one.function)
    .filter(({ name }) => yieldsName(name));
  assert.ok(tools.some(({ name }) => name === "shell"));
  const tokens = JSON.stringify(tools).length / 4;
  assert.ok(tokens <= 600, `${tokens} tokens`);
});

const WARNING = "has the name of a built-in tool, which this agent does not get";

/** Runs an agent that calls all of these tools once. Asserts the results and sources of the tools, and a replay. */
async function assertReplaced(
  place: TestWorkspace,
  names: readonly string[],
  { lines, result, source }: { lines: string; result: string; source: string },
): Promise<void> {
  await place.writeScript("own", doing(...names.map((name) => call(name))), lines);
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "own");
  const results = (await resultsOf(runtime, id)).map(({ content }) => content);
  assert.deepEqual(results, names.map(() => result));
  const sources = await sourcesOf(runtime, "own");
  for (const name of names) assert.equal(sources[name], source, name);
  await assertIdentical(runtime, id);
}

Deno.test("custom tools with the names of built-in tools replace them, in a file of any name", async () => {
  await using place = await createToolPlace(SEARCH);
  // The field that requests web_search is the one that names the file.
  await writeConfig(place, "tools/web_search.ts", OWN);
  const others = YIELDING.filter((name) => name !== "web_search");
  const texts = others.map((name) => OWN.replace("default", `const ${name} =`));
  await writeConfig(place, "tools/other.ts", texts.join("\n"));
  const lines = `tools: [web_search, other]${LINES}`;
  await assertReplaced(place, YIELDING, { lines, result: "mine", source: "custom" });
  const expected = YIELDING.map((name) => `warning The custom tool "${name}" ${WARNING}`);
  assert.deepEqual((await problemsOf(place, "own")).sort(), expected.sort());
});

/** Creates a server whose tools have the names of built-in tools. */
function createNamedServer(): McpServer {
  const server = new McpServer({ name: "named", version: "1.0.0" });
  for (const name of YIELDING) {
    server.registerTool(name, { description: "Serves" }, () => ({
      content: [{ type: "text", text: "served" }],
    }));
  }
  return server;
}

Deno.test("tools of a server with the names of built-in tools keep their names", async () => {
  await using server = new FixtureHttpServer({ create: createNamedServer });
  await using place = await createToolPlace(SEARCH);
  await writeConfig(place, "mcp-servers.json", JSON.stringify({ shelf: { url: server.url } }));
  const lines = `mcp: [shelf]\ntools: [web_search]${LINES}`;
  await assertReplaced(place, YIELDING, { lines, result: "served", source: "mcp" });
  const expected = YIELDING.map((name) => `warning The MCP tool "${name}" ${WARNING}`);
  assert.deepEqual((await problemsOf(place, "own")).sort(), expected.sort());
});
