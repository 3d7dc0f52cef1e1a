import assert from "node:assert/strict";
import fc from "fast-check";
import { splitFrontMatter } from "../../../../runtime/config/files/front_matter.ts";

function split(text: string) {
  const parts = splitFrontMatter(text);
  assert.ok(parts !== "unterminated");
  return parts;
}

Deno.test("splitFrontMatter() splits only at fence lines", () => {
  const text = "---  \na: '---'\n ---\n--- b\n----\n---\t\nbody\n---\nend";
  const yaml = "a: '---'\n ---\n--- b\n----\n";
  assert.deepEqual(split(text), { yaml, lineOffset: 1, body: "body\n---\nend", bodyLineOffset: 6 });
});

const line = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("---", "--- ", "----", "", "\r"),
);
const text = fc.tuple(fc.array(line), fc.constantFrom("\n", "\r\n")).map(([lines, end]) =>
  lines.join(end)
);

Deno.test("splitFrontMatter() keeps every character of a file and counts its lines", () => {
  fc.assert(fc.property(text, fc.boolean(), (rest, fenced) => {
    const whole = fenced ? `---\n${rest}` : rest;
    const parts = splitFrontMatter(whole);
    if (parts === "unterminated") return assert.ok(whole.startsWith("---"));
    const { yaml, body, bodyLineOffset } = parts;
    assert.ok(whole.endsWith(body));
    const before = whole.slice(0, whole.length - body.length);
    if (yaml === null) return assert.ok(before === "" || before === "\uFEFF");
    assert.match(before.replace(yaml, ""), /^\uFEFF?---[ \t]*\r?\n---[ \t]*(\r?\n)?$/);
    assert.equal(before.split("\n").length - (before.endsWith("\n") ? 1 : 0), bodyLineOffset);
  }));
});
