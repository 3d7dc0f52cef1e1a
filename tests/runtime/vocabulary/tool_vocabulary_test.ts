// Tests that BUILTIN_TOOL_NAMES, which config.yaml and agent files are checked against, equals the names of the real tools.
import assert from "node:assert/strict";
import { BUILTIN_TOOL_NAMES } from "../../../runtime/vocabulary/builtin_tools.ts";
import {
  describeDoubtfulTool,
  parseMcpEntries,
  requestedTools,
} from "../../../runtime/vocabulary/tool_vocabulary.ts";
import { createTestWorkspace, runToEnd } from "../../support/test_workspace.ts";
import { resultsOf } from "../executions/executions_of.ts";

Deno.test("BUILTIN_TOOL_NAMES are the tools of an agent with skills, delegates, a shell and searches", async () => {
  await using place = await createTestWorkspace();
  await place.configure(`search: { provider: searxng, base_url: "http://127.0.0.1:9" }\n`);
  const skill = `${place.agentsDir}/_config/skills/haiku`;
  await Deno.mkdir(skill, { recursive: true });
  await Deno.writeTextFile(`${skill}/SKILL.md`, "---\nname: haiku\ndescription: Writes\n---\nX.\n");
  await place.writeScript("helper", [{ say: "x" }]);
  const steps = [{ call: [{ name: "no_such_tool", arguments: {} }] }, { say: "Done." }];
  await place.writeScript(
    "daily",
    steps,
    "skills: haiku\nagents: helper\nshell: true\ntools: [web_search]\nmail: home",
  );
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "daily");
  const [result] = await resultsOf(runtime, id);
  const available = /Available: (.*)/.exec(String(result?.["content"]))?.[1]?.split(", ");
  assert.deepEqual(available?.sort(), [...BUILTIN_TOOL_NAMES].sort());
});

Deno.test("describeDoubtfulTool() accepts built-in tools, entries for all tools, and possible custom tools", () => {
  for (const mayBeOfServer of [false, true]) {
    for (const name of [...BUILTIN_TOOL_NAMES, "*", "all", "search", "3d-print", "a".repeat(64)]) {
      assert.equal(describeDoubtfulTool(name, { mayBeOfServer }), undefined, name);
    }
    for (const name of ["File_Write", "file-write", "file_writ", "fs_*"]) {
      assert.notEqual(describeDoubtfulTool(name, { mayBeOfServer }), undefined, name);
    }
  }
});

Deno.test("describeDoubtfulTool() accepts an invalid name if a server may use it", () => {
  for (const name of ["a b", "read.file", "notes/add", "a".repeat(65)]) {
    assert.equal(describeDoubtfulTool(name, { mayBeOfServer: true }), undefined, name);
    const doubt = `${name}, which is not a valid name of a tool`;
    assert.deepEqual(describeDoubtfulTool(name, { mayBeOfServer: false }), { doubt });
  }
  assert.deepEqual(describeDoubtfulTool("file.write", { mayBeOfServer: true }), {
    doubt: "file.write, which is not a built-in tool: it matches only a server's tool of this name",
    hint: 'did you mean "file_write"?',
  });
});

Deno.test("requestedTools() returns the patterns of a server, whose name may be that of an inherited property", () => {
  const agent = parseMcpEntries([
    "constructor/read",
    "constructor/list",
    "toString",
    "web/x",
    "web",
  ]);
  assert.deepEqual(agent.mcp, ["constructor", "toString", "web"]);
  const requested = agent.mcp.map((server) => requestedTools(agent, server));
  assert.deepEqual(requested, [["read", "list"], undefined, undefined]);
  assert.equal(requestedTools({}, "constructor"), undefined);
});
