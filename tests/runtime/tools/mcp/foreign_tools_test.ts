// Tests the conversion of names, texts and schemas from MCP servers for a model.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../../../base/json.ts";
import { toToolSchema } from "../../../../runtime/tools/json_schema/foreign_schema.ts";
import { LineSplitter } from "../../../../runtime/tools/mcp/stdio_transport.ts";
import { toRemoteTools } from "../../../../runtime/tools/mcp/listing/remote_tool.ts";
import { toResultText } from "../../../../runtime/tools/mcp/result_content.ts";
import { nameTools, toFunctionName } from "../../../../runtime/tools/mcp/listing/tool_names.ts";

Deno.test("nameTools() keeps free names, and prefixes taken names with the server's name", () => {
  const tools = [
    { server: "a", tool: "read" },
    { server: "b", tool: "read" },
    { server: "b", tool: "write" },
    { server: "b", tool: "a_read" },
    { server: "c d", tool: "file_read" },
  ];
  assert.deepEqual(nameTools(tools, ["file_read"]), [
    `a_read_${nameTools(tools, ["file_read"])[0]?.slice(-8)}`,
    "b_read",
    "write",
    "a_read",
    "c_d_file_read",
  ]);
});

Deno.test("nameTools() gives each tool a valid unique name, independent of the order", () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom("a", "b", "a_b", "a.b", "a b", "x".repeat(70)),
  );
  const tools = fc.uniqueArray(fc.record({ server: word, tool: word }), {
    selector: ({ server, tool }) => JSON.stringify([server, tool]),
  });
  fc.assert(fc.property(tools, fc.array(word), (list, taken) => {
    const names = nameTools(list, taken);
    assert.equal(new Set([...names, ...taken]).size, names.length + new Set(taken).size);
    for (const name of names) assert.match(name, /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    assert.deepEqual(nameTools(list.toReversed(), taken).toReversed(), names);
  }));
});

Deno.test("nameTools() numbers a tool if all other names are taken", () => {
  const tools = [{ server: "a", tool: "read" }];
  const taken = ["read", "a_read"];
  for (const ending of [/^a_read_[0-9a-f]{8}$/, /_2$/, /_3$/]) {
    const [name = ""] = nameTools(tools, taken);
    assert.match(name, ending);
    taken.push(name);
  }
});

Deno.test("toFunctionName() keeps valid names", () => {
  assert.equal(toFunctionName("get-issue_2"), "get-issue_2");
  assert.equal(toFunctionName("notion.search/all"), "notion_search_all");
  assert.equal(toFunctionName("21st_magic"), "_21st_magic");
  assert.equal(toFunctionName("x".repeat(80)).length, 64);
  assert.notEqual(toFunctionName(`${"x".repeat(80)}a`), toFunctionName(`${"x".repeat(80)}b`));
});

Deno.test("toRemoteTools() limits texts, and leaves out unusable tools", () => {
  const deep: JsonObject = { type: "object" };
  let inner = deep;
  for (let i = 0; i < 70; i++) inner = (inner["properties"] = { a: {} })["a"] as JsonObject;
  const inputSchema = { type: "object" as const };
  const { tools, problems } = toRemoteTools([
    {
      name: "long",
      description: `x\x1b[31m${"y".repeat(5_000)}`,
      inputSchema: {
        ...inputSchema,
        $schema: "https://json-schema.org/draft/2020-12/schema",
        properties: { a: { type: "string", description: "b\x07c", enum: ["d\x07e"] } },
      },
    },
    { name: "long", inputSchema },
    { name: "", inputSchema },
    { name: "deep", inputSchema: deep as typeof inputSchema },
    { name: "huge", inputSchema: { ...inputSchema, title: "x".repeat(70_000) } },
    { name: "idempotent", inputSchema, annotations: { idempotentHint: true, title: "Twice" } },
    { name: "task", inputSchema, execution: { taskSupport: "required" } },
    { name: "either", inputSchema, execution: { taskSupport: "optional" } },
  ]);
  assert.deepEqual(tools.map(({ name }) => name), ["long", "idempotent", "either"]);
  assert.equal(tools[0]?.description.length, 1_024);
  assert.ok(tools[0]?.description.startsWith("xyy"));
  const properties = { a: { type: "string", description: "bc", enum: ["d\x07e"] } };
  assert.deepEqual(tools[0]?.parameters, { type: "object", properties });
  assert.deepEqual([tools[1]?.description, tools[1]?.effect], ["Twice", "idempotent"]);
  assert.deepEqual(problems.map((one) => one.slice(one.indexOf(":") + 2)), [
    "it is listed twice",
    "its name must have 1 to 256 characters",
    "its input schema is nested over 64 levels deep",
    "its input schema is over 64 KB",
    "it works only as a task, which Inkling does not support",
  ]);
});

Deno.test("toToolSchema() refuses deeply nested schemas", () => {
  let schema: JsonObject = {};
  for (let i = 0; i < 100_000; i++) schema = { items: schema };
  const problem = "its input schema is nested over 64 levels deep";
  assert.deepEqual(toToolSchema(schema), { problem });
});

Deno.test("toToolSchema() repairs faults with an obvious meaning, and keeps valid parts", () => {
  const shown = (schema: unknown) => {
    const result = toToolSchema(schema);
    return "problem" in result ? result.problem : JSON.stringify(result.schema);
  };
  const coin = '"properties":{"coin":{"type":"string"}},"required":["coin"]';
  const cases: [unknown, string][] = [
    ...[undefined, null, [], {}, { type: null, properties: [] }].map((one): [unknown, string] => [
      one,
      '{"type":"object","properties":{}}',
    ]),
    [{ properties: { coin: { type: "string" }, required: ["coin"] } }, `{"type":"object",${coin}}`],
    [{ properties: { coin: { type: "str", required: true } } }, `{"type":"object",${coin}}`],
    [{ properties: { coin: "STRING" }, required: "coin" }, `{"type":"object",${coin}}`],
    [
      {
        properties: {
          all: { type: "array" },
          any: { type: "any" },
          on: { anyOf: [{ type: "bool" }] },
        },
      },
      '{"type":"object","properties":{"all":{"type":"array","items":{}},"any":{},"on":{"anyOf":[{"type":"boolean"}]}}}',
    ],
    [
      {
        required: ["a"],
        properties: { a: { default: null, enum: [null, 1] } },
        additionalProperties: false,
      },
      '{"type":"object","properties":{"a":{"default":null,"enum":[null,1]}},"required":["a"],"additionalProperties":false}',
    ],
    [{ properties: { a: { type: "money" } } }, 'its input schema has the type "money"'],
    [{ type: "string" }, "its input schema describes no object"],
    [{ properties: "none" }, "the properties in its input schema are not an object"],
    [{ properties: { a: 1 } }, "its input schema has 1 as a schema"],
  ];
  for (const [schema, expected] of cases) assert.equal(shown(schema), expected);
});

Deno.test("toRemoteTools() reports invalid tools, and keeps the others", () => {
  const { tools, problems } = toRemoteTools([
    { name: "good", description: 5, annotations: "none", inputSchema: null },
    { name: "bad", inputSchema: { type: "money" } },
    { description: "nameless" },
    "text",
  ]);
  assert.deepEqual(tools.map(({ name, description }) => [name, description]), [["good", ""]]);
  assert.deepEqual(problems, [
    'Its tool "bad" is left out: its input schema has the type "money"',
    "One of its tools is left out: it has no name",
    "One of its tools is left out: it has no name",
  ]);
});

Deno.test("toResultText() returns structured content that the text does not repeat", () => {
  const show = (texts: string[], structuredContent: Record<string, unknown>) =>
    toResultText({
      content: texts.map((text) => ({ type: "text" as const, text })),
      structuredContent,
    });
  const rows = { rows: [{ id: 7, name: "oak\n" }, { id: 12, name: "elm" }], more: false };
  const added = `\n${JSON.stringify(rows)}`;
  assert.equal(show([JSON.stringify(rows, null, 2)], rows), JSON.stringify(rows, null, 2));
  assert.equal(show(["Found 2 rows"], rows), `Found 2 rows${added}`);
  assert.equal(show(["7 oak\n", "12 elm", "more: false"], rows), "7 oak\n\n12 elm\nmore: false");
  // The 7 of 17 is another number.
  assert.equal(show(["17 oak\n 12 elm false"], rows), `17 oak\n 12 elm false${added}`);
  assert.equal(show(["hello"], { result: "hello" }), "hello");
  assert.equal(show(["2", "3"], { result: [2, 3] }), "2\n3");
  assert.equal(show(["none"], { result: [] }), "none");
  assert.equal(show(["a chart"], { total: 5 }), 'a chart\n{"total":5}');
});

Deno.test("toResultText() returns structured content beside images, and describes other blocks", () => {
  assert.equal(toResultText({ content: [], structuredContent: { a: 1 } }), '{"a":1}');
  const image = { type: "image" as const, mimeType: "image/png\x1b[2J\nx", data: "AAAA" };
  const shown = toResultText({ content: [image], structuredContent: { result: image } });
  assert.equal(shown, "[image image/png x, 3 bytes]");
  const both = toResultText({
    content: [image],
    structuredContent: { width: 3, shown: { image } },
  });
  assert.equal(both, '[image image/png x, 3 bytes]\n{"width":3,"shown":{}}');
  let deep: unknown = [];
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const expected = "[structured content, nested over 500 levels deep]";
  assert.equal(toResultText({ content: [], structuredContent: { deep } }), expected);
  const blob = btoa("\0\0\0binary");
  assert.equal(
    toResultText({
      content: [{ type: "resource", resource: { uri: "x://y", mimeType: "text/plain", blob } }],
    }),
    "[resource x://y, text/plain, 9 bytes]",
  );
});

Deno.test("LineSplitter.push() returns the same lines for any split of the text", () => {
  const text = fc.array(fc.constantFrom("a", "é", "😀", "\n", "\n\n"), { maxLength: 30 });
  fc.assert(fc.property(text, fc.array(fc.nat(100)), (parts, cuts) => {
    const bytes = new TextEncoder().encode(parts.join(""));
    const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
    places.sort((a, b) => a - b);
    const splitter = new LineSplitter(1_000);
    const lines = places.slice(1).flatMap((end, i) => splitter.push(bytes.slice(places[i], end)));
    assert.deepEqual(lines, parts.join("").split("\n").slice(0, -1));
  }));
  const splitter = new LineSplitter(10);
  assert.deepEqual(splitter.push(new TextEncoder().encode("0123456789\n01234")), ["0123456789"]);
  assert.throws(() => splitter.push(new TextEncoder().encode("567890")), RangeError);
});
