import assert from "node:assert/strict";
import fc from "fast-check";
import { toPlainJson } from "../../../base/text/json_comments.ts";
import type { JsonValue } from "../../../base/json.ts";
import { NotInstalled } from "../../../ops/install/not_installed.ts";
import { setMember } from "../../../ops/install/servers_file_edit.ts";
import { anyText } from "../../support/any_text.ts";

const SERVER = { command: "node", args: ["x"] };
const set = (text: string, path: string[], value: JsonValue | undefined) =>
  setMember(text, { file: "servers.json", path, value });

Deno.test("setMember() uses the layout of the other members, and keeps comments", () => {
  const cases: [before: string, after: string][] = [
    ["{}", '{\n  "s": {\n    "command": "node",\n    "args": [\n      "x"\n    ]\n  }\n}'],
    [
      '{\n\t"mcpServers": {\n\t\t"a": { "command":   "b" }\n\t},\n\t"other": [1,\t2]\n}\n',
      '{\n\t"mcpServers": {\n\t\t"a": { "command":   "b" },\n\t\t"s": {\n\t\t\t"command": "node",\n\t\t\t"args": [\n' +
      '\t\t\t\t"x"\n\t\t\t]\n\t\t}\n\t},\n\t"other": [1,\t2]\n}\n',
    ],
    [
      '{\r\n    "a": 1\r\n}\r\n',
      '{\r\n    "a": 1,\r\n    "s": {\r\n        "command": "node",\r\n        "args": [\r\n            "x"\r\n        ]\r\n    }\r\n}\r\n',
    ],
    [
      '{ // mine\n  "a": {"command": "b"}, // of a\n}\n',
      '{ // mine\n  "a": {"command": "b"},\n  "s": {\n    "command": "node",\n    "args": [\n      "x"\n    ]\n  }, // of a\n}\n',
    ],
  ];
  for (const [before, after] of cases) assert.equal(set(before, ["s"], SERVER), after);
  const servers = '{\n  "a": { /* one */ "command": "b" },\n  "c": {}\n}\n';
  assert.equal(
    set(servers, ["a", "auto_approve"], ["x"]),
    '{\n  "a": { /* one */ "command": "b",\n    "auto_approve": [\n      "x"\n    ] },\n  "c": {}\n}\n',
  );
  assert.equal(set(servers, ["a"], undefined), '{\n  "c": {}\n}\n');
  assert.equal(
    set('{ // mine\n  "a": {},\n  "c": {}\n}', ["a"], undefined),
    '{ // mine\n  "c": {}\n}',
  );
  assert.equal(
    set(servers, ["c"], undefined),
    '{\n  "a": { /* one */ "command": "b" }\n}\n',
  );
});

Deno.test("setMember() refuses a text that it cannot edit", () => {
  for (
    const [text, value] of [
      ['{"servers": {"a": 1}, "servers": {"b": 2}}', SERVER],
      ['{"s": 1, "s": 2}', undefined],
      ['{"s": 1,}', undefined],
    ] as const
  ) {
    assert.throws(() => set(text, ["s"], value as JsonValue | undefined), NotInstalled, text);
  }
});

Deno.test("setMember() changes no other member", () => {
  const key = anyText({ maxLength: 12 });
  const whole = fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), {
    noNullPrototype: true,
    maxKeys: 6,
  });
  const layout = fc.constantFrom(undefined, 1, 2, "\t", "   ");
  fc.assert(
    fc.property(whole, layout, fc.jsonValue({ maxDepth: 1 }), (content, space, given) => {
      fc.pre(["s", "__proto__", "mcp", "servers"].every((one) => !Object.hasOwn(content, one)));
      // JSON has no -0.
      const value: JsonValue = JSON.parse(JSON.stringify(given));
      const text = JSON.stringify(content, null, space);
      const edited = set(text, ["s"], value);
      assert.deepEqual(JSON.parse(edited), JSON.parse(JSON.stringify({ ...content, s: value })));
      // The text before the inserted member must be unchanged.
      const rest = text.slice(0, text.lastIndexOf("}")).trimEnd();
      assert.ok(edited.startsWith(rest));
      const back = set(edited, ["s"], undefined);
      if (Object.keys(content).length > 0) assert.equal(back, text);
      else assert.deepEqual(JSON.parse(toPlainJson(back)), {});
      const [first = "s"] = Object.keys(content);
      const { [first]: _, ...others } = JSON.parse(edited);
      assert.deepEqual(JSON.parse(set(edited, [first], undefined)), others);
    }),
    { numRuns: 50 },
  );
});
