import assert from "node:assert/strict";
import fc from "fast-check";
import { parse } from "yaml";
import {
  type ConfigEdit,
  editConfigText,
} from "../../../../runtime/config/files/config_file_edit.ts";

const options = { path: "config.yaml" };
const edit = (text: string, ...edits: ConfigEdit[]) => editConfigText(text, edits, options);

const WRITTEN = `# Ours since 2024

workspace: ~/x    # the shared one
# about defaults
defaults: # inline
  # before provider
  provider: openai # prov
  model: "gpt"
  confirm_tools: [file_delete,  run]   # flow

# a key of another program
unknown: &a
  deep: 1
other: *a
# tail
`;

Deno.test("editConfigText() keeps foreign keys, comments and order", () => {
  const edited = edit(
    WRITTEN,
    { path: ["workspace"], value: "/tmp/a: b #c" },
    { path: ["defaults", "model"], value: "new" },
    { path: ["defaults", "timeout"], value: 60 },
  );
  assert.deepEqual(parse(edited), {
    workspace: "/tmp/a: b #c",
    defaults: {
      provider: "openai",
      model: "new",
      confirm_tools: ["file_delete", "run"],
      timeout: 60,
    },
    unknown: { deep: 1 },
    other: { deep: 1 },
  });
  for (const [comment] of WRITTEN.matchAll(/#.*/g)) assert.ok(edited.includes(comment), comment);
  assert.ok(edited.indexOf("unknown") > edited.indexOf("timeout"));
});

Deno.test("editConfigText() does not change a text that already has the values", () => {
  const path = ["defaults", "provider"] as const;
  const same = edit(WRITTEN, { path: ["workspace"], value: "~/x" }, { path, value: "openai" });
  assert.equal(same, WRITTEN);
});

Deno.test("editConfigText() writes into absent files, empty sections, flow maps and CRLF files", () => {
  const timeout: ConfigEdit = { path: ["defaults", "timeout"], value: 60 };
  const table: [string, string][] = [
    [
      "",
      '# The configuration of Inkling. "inkling info" shows what is in effect.\n\n' +
      "defaults:\n  timeout: 60\n",
    ],
    ["# mine\n", "# mine\n\ndefaults:\n  timeout: 60\n"],
    ["defaults: # why\nagents_dir: a\n", "defaults:\n  # why\n  timeout: 60\nagents_dir: a\n"],
    ["defaults: {model: m} # x\n", "defaults: { model: m, timeout: 60 } # x\n"],
    ["defaults:\r\n  model: m # x\r\n", "defaults:\r\n  model: m # x\r\n  timeout: 60\r\n"],
    ["defaults: null\n", "defaults:\n  timeout: 60\n"],
  ];
  for (const [text, expected] of table) assert.equal(edit(text, timeout), expected);
});

Deno.test("editConfigText() refuses to change a value that an anchor shares", () => {
  const cases: [string, ConfigEdit][] = [
    ["a: &b {model: m}\ndefaults: *b\n", { path: ["defaults", "timeout"], value: 60 }],
    ["workspace: &w /x\nmine: *w\n", { path: ["workspace"], value: "/y" }],
  ];
  for (const [text, one] of cases) {
    const refusal = { name: "ConfigNotEditable", message: /^Cannot merge into config.yaml: / };
    assert.throws(() => edit(text, one), refusal);
  }
});

Deno.test("editConfigText() sets exactly the given values, whatever they are", () => {
  const value = fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.boolean());
  const other = fc.dictionary(
    fc.string({ minLength: 1, unit: "grapheme-ascii" }).filter((key) =>
      !["workspace", "defaults", "__proto__", "<<"].includes(key)
    ),
    fc.oneof(value, fc.array(value)),
  );
  fc.assert(fc.property(other, value, value, (foreign, workspace, model) => {
    const edited = edit(
      JSON.stringify(foreign),
      { path: ["workspace"], value: workspace },
      { path: ["defaults", "model"], value: model },
    );
    assert.deepEqual({ ...parse(edited) }, { ...foreign, workspace, defaults: { model } });
  }));
});
