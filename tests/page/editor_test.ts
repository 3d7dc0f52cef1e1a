// Tests of the editor's completion: the place in YAML that is not valid yet, and the options of a schema.
import assert from "node:assert/strict";
import { createFileSchema } from "../../ops/authoring/file_schema.ts";
import { type FileSchema, findOptions } from "../../page/editor/schema_options.ts";
import { findJsonPlace, findYamlPlace } from "../../page/editor/yaml_place.ts";
import { switchOff } from "../../page/state/edited_file.ts";

const SCHEMA = createFileSchema("agent") as FileSchema;
const labelsAt = (yaml: string) => {
  const place = findYamlPlace(yaml);
  return place === undefined ? [] : findOptions(SCHEMA, place).map(({ label }) => label);
};

Deno.test("the place in YAML is found by indentation and brackets", () => {
  const places: [string, string[], string, boolean][] = [
    ["", [], "", true],
    ["desc", [], "desc", true],
    ["trigger:\n  ty", ["trigger"], "ty", true],
    ["trigger:\n  type: sch", ["trigger", "type"], "sch", false],
    ["trigger: { type: schedule, cr", ["trigger"], "cr", true],
    ["trigger: { type: s", ["trigger", "type"], "s", false],
    ["tools: [file_read, fi", ["tools"], "fi", false],
    ["tools:\n  - file_read\n  - fi", ["tools"], "fi", true],
    ["tools:\n- fi", ["tools"], "fi", true],
    ["model: openai/gpt\nbud", [], "bud", true],
    ["budget:\n  tokens:\n    per_day: 7\n  per", ["budget"], "per", true],
  ];
  for (const [yaml, path, word, isKey] of places) {
    assert.deepEqual(findYamlPlace(yaml), { path, word, isKey }, yaml);
  }
  assert.equal(findYamlPlace("a: 1\n# com"), undefined);
});

Deno.test("the schema completes keys and values of an agent file", () => {
  assert.ok(labelsAt("").includes("trigger"));
  assert.ok(labelsAt("trigger:\n  ").includes("cron"));
  assert.ok(labelsAt("trigger: { type: ").includes("schedule"));
  assert.deepEqual(labelsAt("enabled: "), ["true", "false"]);
  assert.ok(labelsAt("budget: { tokens: { ").includes("per_day"));
  assert.deepEqual(labelsAt("nonsense: { a: "), []);
});

Deno.test("keys and values of mcp-servers.json are completed, also beside addresses", () => {
  const schema = createFileSchema("mcp") as FileSchema;
  const labelsIn = (json: string) =>
    findOptions(schema, findJsonPlace(json)).map((one) => one.label);
  assert.ok(labelsIn('{ "').includes("mcpServers"));
  const servers = '{ "mcpServers": {\n "one": { "url": "https://x.example/a,b", "';
  assert.ok(labelsIn(servers).includes("headers"));
  assert.deepEqual(labelsIn(`${servers}disabled": `), ["true", "false"]);
  assert.deepEqual(labelsIn('{ "mcpServers": { "'), []);
  const { word, isQuoted } = findJsonPlace(`${servers}hea`);
  assert.deepEqual([word, isQuoted], ["hea", true]);
});

Deno.test("a copy of an agent that starts by itself is switched off", () => {
  const text = "---\ntrigger: { type: schedule, every: 1h }\n---\nWork.\n";
  assert.equal(switchOff(text), text.replace("---\n", "---\nenabled: false\n"));
  assert.equal(switchOff("---\r\nafter: [a]\r\n---\r\nWork.").split("\r\n")[1], "enabled: false");
  for (
    const same of [
      "Work.",
      "---\ntools: []\n---\nWork.",
      text.replace("---\n", "---\nenabled: true\n"),
    ]
  ) {
    assert.equal(switchOff(same), same);
  }
});
