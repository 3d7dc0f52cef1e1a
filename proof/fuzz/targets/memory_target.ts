// Fuzzes the file of long-term memory, in which models write sections and which people edit.
import assert from "node:assert/strict";
import fc from "fast-check";
import { MemoryDocument } from "../../../runtime/tools/memory/memory_document.ts";
import { defineTarget } from "../target.ts";
import { anyText } from "../../../tests/support/any_text.ts";

const lineEnd = fc.constantFrom("\n", "\r\n", "\r", "");
const contents = fc.oneof(
  anyText(),
  fc.array(
    fc.tuple(
      fc.constantFrom(
        ...[
          "",
          " ",
          "#",
          "# a",
          "# b ",
          "#\tc",
          "\\# a",
          "\\\\# a",
          "## x",
          "\ufeff# a",
          "x",
          "```",
          "# a #",
        ],
        ...["\u2028# a", "\0", "# A", "\\"],
      ),
      lineEnd,
    ),
  ).map((lines) => lines.flat().join("")),
);
/** Generates valid names of sections. */
const sectionNames: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("a", "A", "b", "c", "# a", "\\# a", "a  b", "a b", "é", "e\u0301", "#"),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
).map((name) => name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "").trim()).filter((name) => name !== "");

export const memoryFiles = defineTarget({
  name: "memory-files",
  claim: "memory returns the saved text, and no other section changes, with any texts",
  cases: () =>
    fc.tuple(
      fc.oneof(fc.constant(""), contents),
      fc.array(fc.tuple(sectionNames, contents, fc.boolean()), { maxLength: 6 }),
    ),
  check([start, changes]) {
    let memory = MemoryDocument.parse(start);
    assert.equal(memory.toText(), start);
    for (const [name, content, append] of changes) {
      const before = memory.section(name);
      const others = memory.sections().filter((one) => one.name !== before?.name);
      const preamble = memory.preamble();
      const text = append
        ? memory.withSection(name, memory.appended(name, content)).toText()
        : memory.withSection(name, content).toText();
      memory = MemoryDocument.parse(text);
      assert.equal(memory.toText(), text);
      const after = memory.section(name);
      assert.ok(after !== undefined);
      if (append) {
        assert.ok(after.content.startsWith(before?.content ?? ""));
        assert.ok(after.content.endsWith(content));
      } else assert.equal(after.content, content);
      assert.deepEqual(memory.sections().filter((one) => one.name !== after.name), others);
      assert.equal(memory.preamble(), preamble);
    }
  },
});
