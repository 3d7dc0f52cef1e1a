import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonValue } from "../../../base/json.ts";
import { insertMember, removeMember } from "../../../ops/install/servers_file_edit.ts";
import { anyText } from "../../support/any_text.ts";

const SERVER = { command: "node", args: ["x"] };

Deno.test("insertMember() uses the layout of the other members", () => {
  const cases: [path: string[], before: string, after: string][] = [
    [[], "{}", '{\n  "s": {\n    "command": "node",\n    "args": [\n      "x"\n    ]\n  }\n}'],
    [
      ["mcpServers"],
      '{\n\t"mcpServers": {\n\t\t"a": { "command":   "b" }\n\t},\n\t"other": [1,\t2]\n}\n',
      '{\n\t"mcpServers": {\n\t\t"a": { "command":   "b" },\n\t\t"s": {\n\t\t\t"command": "node",\n\t\t\t"args": [\n' +
      '\t\t\t\t"x"\n\t\t\t]\n\t\t}\n\t},\n\t"other": [1,\t2]\n}\n',
    ],
    [
      [],
      '{\r\n    "a": 1\r\n}\r\n',
      '{\r\n    "a": 1,\r\n    "s": {\r\n        "command": "node",\r\n        "args": [\r\n            "x"\r\n        ]\r\n    }\r\n}\r\n',
    ],
  ];
  for (const [path, before, after] of cases) {
    assert.equal(insertMember(before, { path, name: "s", value: SERVER }), after);
  }
});

Deno.test("insertMember() uses the last of duplicate keys", () => {
  const twice = '{"servers": {"a": 1}, "servers": {"b": 2}}';
  const expected =
    '{"servers": {"a": 1}, "servers": {"b": 2, "s": {"command":"node","args":["x"]}}}';
  assert.equal(insertMember(twice, { path: ["servers"], name: "s", value: SERVER }), expected);
  assert.equal(insertMember("[1]", { path: [], name: "s", value: SERVER }), undefined);
  assert.equal(insertMember('{"a": 1}', { path: ["a"], name: "s", value: SERVER }), undefined);
});

Deno.test("insertMember() and removeMember() change no other member", () => {
  const key = anyText({ maxLength: 12 });
  const whole = fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), {
    noNullPrototype: true,
    maxKeys: 6,
  });
  const layout = fc.constantFrom(undefined, 1, 2, "\t", "   ");
  fc.assert(
    fc.property(whole, layout, fc.jsonValue({ maxDepth: 1 }), (content, space, given) => {
      fc.pre(!Object.hasOwn(content, "s") && !Object.hasOwn(content, "__proto__"));
      const value = given as JsonValue;
      const text = JSON.stringify(content, null, space);
      const edited = insertMember(text, { path: [], name: "s", value });
      assert.ok(edited !== undefined);
      assert.deepEqual(JSON.parse(edited), JSON.parse(JSON.stringify({ ...content, s: value })));
      // The text before the inserted member must be unchanged.
      const rest = text.slice(0, text.lastIndexOf("}")).trimEnd();
      assert.ok(edited.startsWith(rest));
      const back = removeMember(edited, { path: [], name: "s" });
      if (Object.keys(content).length > 0) assert.equal(back, text);
      else assert.deepEqual(JSON.parse(back ?? ""), {});
      const [first = "s"] = Object.keys(content);
      const { [first]: _, ...others } = JSON.parse(edited);
      assert.deepEqual(JSON.parse(removeMember(edited, { path: [], name: first }) ?? ""), others);
    }),
    { numRuns: 50 },
  );
});
