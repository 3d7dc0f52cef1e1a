// Tests the repair of tool calls: names in another form, and numbers and booleans as text.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { JsonObject, JsonSchema } from "../../../../base/json.ts";
import { repairCall } from "../../../../runtime/executions/loop/repair_calls.ts";
import type { Tool } from "../../../../runtime/tools/definition/tool.ts";
import { OpenAiServer } from "../../../support/models/openai_server.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../../../support/test_workspace.ts";

function toolsOf(tools: Record<string, JsonSchema>) {
  return {
    names: () => Object.keys(tools),
    get: (name: string) =>
      Object.hasOwn(tools, name) ? { name, parameters: tools[name] } as Tool : undefined,
  };
}

const repaired = (name: string, args: string, tools: Record<string, JsonSchema>) =>
  repairCall({ id: "c", name, arguments: args }, toolsOf(tools));

Deno.test("repairCall() finds the only tool that a name can mean", () => {
  const tools = { file_read: {}, Search: {}, search: {}, "functions.own": {}, own: {} };
  const rows = [
    ["file_read", "file_read"],
    ["File_Read", "file_read"],
    ["functions.file_read", "file_read"],
    ["functions.FILE_READ", "file_read"],
    ["functions.own", "functions.own"],
    ["SEARCH", "SEARCH"],
    ["functions.functions.file_read", "functions.functions.file_read"],
    ["file-read", "file-read"],
    ["toString", "toString"],
    ["", ""],
  ];
  for (const [name = "", expected] of rows) {
    assert.equal(repaired(name, "{}", tools).name, expected, name);
  }
});

Deno.test("repairCall() converts texts that the schema allows only as numbers or booleans", () => {
  const properties: JsonObject = {
    count: { type: "integer", minimum: 1 },
    ratio: { type: ["number", "null"] },
    deep: { type: "object", properties: { on: { type: "boolean" } } },
    list: { type: "array", items: { anyOf: [{ type: "integer" }, { type: "boolean" }] } },
    level: { enum: [1, 2] },
    text: { type: "string" },
    either: { anyOf: [{ type: "integer" }, { type: "string" }] },
    some: { oneOf: [{ type: "integer" }, {}] },
    any: {},
  };
  const tools = { t: { type: "object", properties } };
  const args = (given: JsonObject) =>
    JSON.parse(repaired("t", JSON.stringify(given), tools).arguments);
  const good: [JsonObject, JsonObject][] = [
    [{ count: "3" }, { count: 3 }],
    [{ count: "-3.0e1" }, { count: -30 }],
    [{ ratio: "0.5" }, { ratio: 0.5 }],
    [{ deep: { on: "True" } }, { deep: { on: true } }],
    [{ list: ["1", "false", "x", 2] }, { list: [1, false, "x", 2] }],
    [{ level: "2" }, { level: 2 }],
    [{ count: "3", text: "3", __proto__x: "3" }, { count: 3, text: "3", __proto__x: "3" }],
  ];
  for (const [given, expected] of good) assert.deepEqual(args(given), expected);
  for (
    const given of [
      { text: "3" },
      { either: "3" },
      { some: "3" },
      { any: "true" },
      { unknown: "3" },
      { count: "3.5" },
      { count: "12345678901234567890" },
      { ratio: "12345678901234567890" },
      { ratio: "1e999" },
      { count: " 3" },
      { count: "0x10" },
      { count: "" },
      { count: "true" },
      { deep: { on: "1" } },
      { deep: { on: "yes" } },
    ]
  ) {
    // A call without a repair keeps its text.
    const text = JSON.stringify(given, undefined, 1);
    assert.equal(repaired("t", text, tools).arguments, text);
  }
  assert.equal(repaired("t", '{"count": "3"', tools).arguments, '{"count": "3"');
  assert.equal(repaired("t", '```json\n{"count": "3",}\n```', tools).arguments, '{"count":3}');
});

Deno.test("a guard, its preview and the log get the repaired call", async () => {
  await using place = await createTestWorkspace();
  const edit = { path: "n.txt", old_text: "a", new_text: "b", replace_all: "true" };
  await using server = new OpenAiServer([
    { toolCalls: [{ name: "functions.File_Read", arguments: { path: "n.txt", limit: "1" } }] },
    { toolCalls: [{ name: "FILE_EDIT", arguments: edit }] },
  ]);
  const model = `model: { provider: local, name: m, base_url: "${server.url}" }`;
  await place.writeAgent("a", `---\n${model}\nconfirm: [file_edit]\n---\nDo it.\n`);
  await Deno.writeTextFile(join(place.workspace, "n.txt"), "a a\nrest\n");
  await using runtime = await place.open();
  const { id, status } = await runToEnd(runtime, "a");
  assert.equal(status, "waiting");
  const { toolName, toolArgs, preview } = await runtime.pendingRequest(id);
  assert.deepEqual([toolName, toolArgs], ["file_edit", { ...edit, replace_all: true }]);
  assert.match(JSON.stringify(preview), /\+b b/);
  const frames = await payloadsOf(runtime, id);
  const calls = frames.flatMap((one) => one["event_type"] === "tool_call" ? one["tools"] : []);
  assert.deepEqual(
    (calls as JsonObject[]).map(({ name, args }) => [name, args]),
    [["file_read", '{"path":"n.txt","limit":1}'], [
      "file_edit",
      JSON.stringify({ ...edit, replace_all: true }),
    ]],
  );
  const [result] = frames.filter((one) => one["event_type"] === "tool_result");
  assert.match(String(result?.["content"]), /a a/);
  assert.ok(!/rest/.test(String(result?.["content"])), "only one line was read");
});
