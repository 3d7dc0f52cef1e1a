// Tests the names of an agent's tools: built-in tools that its file leaves out, and tools that replace a built-in tool.
import assert from "node:assert/strict";
import { z } from "zod";
import { validateWorkspace } from "../../../ops/authoring/workspace_validation.ts";
import {
  BUILTIN_TOOL_NAMES,
  MAIL_TOOLS,
  yieldsName,
} from "../../../runtime/vocabulary/tool_vocabulary.ts";
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

/** The lines of an agent file that request a built-in tool. */
const LINES: Readonly<Record<string, string>> = {
  shell: "\nshell: true",
  web_search: "\ntools: [web_search]",
  ...Object.fromEntries(MAIL_TOOLS.map((name) => [name, "\nmail: home"])),
};
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

Deno.test("an agent does not have the built-in tools that its file leaves out", async () => {
  await using place = await createToolPlace();
  await writeConfig(place, "skills/haiku/SKILL.md", "---\ndescription: Writes\n---\nWrite.\n");
  await writeConfig(place, "tools/own.ts", OWN);
  const steps = doing(call("http_request", { url: "http://127.0.0.1:1" }), call("own"));
  const lines = "tools: [-http_request, own, -memory_save, -skill_run_script]\nskills: haiku";
  await place.writeScript("small", steps, lines);
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "small");
  const [refused, own] = (await resultsOf(runtime, id)).map(({ content }) => String(content));
  assert.match(refused ?? "", /http_request.*Available: /);
  assert.equal(own, "mine");
  const left = ["http_request", "memory_save", "skill_run_script"];
  const expected = BUILTIN_TOOL_NAMES.filter((name) =>
    !left.includes(name) && !["run_agent", "shell", "web_search", ...MAIL_TOOLS].includes(name)
  );
  const names = Object.keys(await sourcesOf(runtime, "small"));
  assert.deepEqual(names.sort(), [...expected, "own"].sort());
  await assertIdentical(runtime, id);
  assert.deepEqual(await problemsOf(place, "small"), []);

  await place.writeScript("asking", steps, "tools: [-http_request]\nconfirm: [http_request]");
  assert.deepEqual(await problemsOf(place, "asking"), [
    "warning confirm names http_request, which the agent's tools leave out",
  ]);
});

Deno.test("a custom tool may have the name of a built-in tool that the file leaves out", async () => {
  await using place = await createToolPlace();
  await writeConfig(place, "tools/file_read.ts", OWN);
  await place.writeScript("own", doing(call("file_read")), "tools: [file_read, -file_read]");
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "own");
  assert.deepEqual((await resultsOf(runtime, id)).map(({ content }) => content), ["mine"]);
  assert.equal((await sourcesOf(runtime, "own"))["file_read"], "custom");
  await assertIdentical(runtime, id);
  assert.deepEqual(await problemsOf(place, "own"), []);
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

for (const name of YIELDING) {
  const line = LINES[name] ?? "";
  const known = `"${name}" has the name of a built-in tool, which this agent does not get`;

  // The field that requests web_search is the one that names the file.
  const [files, more] = name === "web_search" ? [[name], ""] : [[name, "other"], line];

  // A replay does not start the tool, so it does not know a name that differs from the file's name.
  for (const file of files) {
    Deno.test(`a custom tool ${name} in ${file}.ts replaces the built-in tool`, async () => {
      await using place = await createToolPlace(SEARCH);
      await writeConfig(place, `tools/${file}.ts`, OWN.replace("default", `const ${name} =`));
      await place.writeScript("own", doing(call(name)), `tools: [${file}]${more}`);
      await using runtime = await place.open();
      const { id } = await runToEnd(runtime, "own");
      assert.deepEqual((await resultsOf(runtime, id)).map(({ content }) => content), ["mine"]);
      assert.equal((await sourcesOf(runtime, "own"))[name], "custom");
      await assertIdentical(runtime, id);
      assert.deepEqual(await problemsOf(place, "own"), [`warning The custom tool ${known}`]);
    });
  }

  Deno.test(`validate reports no replaced tool if the file leaves out ${name}`, async () => {
    await using place = await createToolPlace(SEARCH);
    await writeConfig(place, `tools/${name}.ts`, OWN);
    await place.writeScript("own", doing(call(name)), `tools: [${name}, -${name}]${more}`);
    assert.deepEqual(await problemsOf(place, "own"), []);
  });

  Deno.test(`a server's tool ${name} keeps its name`, async () => {
    await using server = new FixtureHttpServer({ named: name });
    await using place = await createToolPlace(SEARCH);
    const entry = { shelf: { url: server.url } };
    await writeConfig(place, "mcp-servers.json", JSON.stringify(entry));
    await place.writeScript("own", doing(call(name)), `mcp: [shelf]${line}`);
    await using runtime = await place.open();
    const { id } = await runToEnd(runtime, "own");
    assert.deepEqual((await resultsOf(runtime, id)).map(({ content }) => content), ["served"]);
    assert.equal((await sourcesOf(runtime, "own"))[name], "mcp");
    await assertIdentical(runtime, id);
    assert.deepEqual(await problemsOf(place, "own"), [`warning The MCP tool ${known}`]);
  });
}
