// Tests that an edit changes nothing but the given text.
import assert from "node:assert/strict";
import fc from "fast-check";
import { editText } from "../../../../runtime/tools/files/text_edit.ts";
import { failureOf } from "./sandbox_fixture.ts";
import { textOf } from "../../../support/any_text.ts";

const line = textOf("ab $&", { maxLength: 4 });

Deno.test("editText() changes only the given text in LF and CRLF files", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(line, { maxLength: 5 }),
    fc.array(line, { maxLength: 5 }),
    fc.array(line, { minLength: 1, maxLength: 4 }),
    fc.constantFrom("\n", "\r\n"),
    async (before, after, replacement, end) => {
      const text = (middle: string[]) => [...before, ...middle, ...after].join(end);
      const content = text(["<here>", "<there>"]);
      const newText = replacement.join("\n");
      const edit = { old_text: "<here>\n<there>", new_text: newText, replace_all: false };
      const edited = await editText(content, edit, "f");
      assert.equal(edited.content, text(replacement));
      assert.equal(edited.lines, String(before.length + 1));
    },
  ));
});

Deno.test("editText() keeps the line endings around the text in a mixed file", async () => {
  const content = "a\nb\nc\r\nd\r\n";
  const edit = async (oldText: string, newText: string) =>
    (await editText(content, { old_text: oldText, new_text: newText, replace_all: false }, "f"))
      .content;
  assert.equal(await edit("a\nb", "1\n2"), "1\n2\nc\r\nd\r\n");
  assert.equal(await edit("c\nd", "3\n4"), "a\nb\n3\r\n4\r\n");
});

Deno.test("editText() accepts CRLF text for a file with LF", async () => {
  const edit = { old_text: "a\r\nb", new_text: "1\r\n2", replace_all: false };
  assert.equal((await editText("a\nb\n", edit, "f")).content, "1\n2\n");
});

Deno.test("editText() replaces like String.replaceAll(), and reports the lines", async () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 40 });
  const old = fc.string({ unit: fc.constantFrom("a", "b", "\n"), minLength: 1, maxLength: 4 });
  await fc.assert(fc.asyncProperty(text, old, async (content, oldText) => {
    fc.pre(content.includes(oldText));
    const edit = { old_text: oldText, new_text: "<$&>", replace_all: true };
    const edited = await editText(content, edit, "f");
    assert.equal(edited.content, content.split(oldText).join("<$&>"));
    assert.equal(edited.count, content.split(oldText).length - 1);
    const first = content.slice(0, content.indexOf(oldText)).split("\n").length;
    assert.equal(edited.lines.split(/,| and /)[0], String(first));
  }));
});

Deno.test("editText() limits the result and the searched text, and counts matches in one line", async () => {
  const content = "a".repeat(9_000);
  const edit = (oldText: string, newText: string, replaceAll = true) =>
    editText(content, { old_text: oldText, new_text: newText, replace_all: replaceAll }, "f");
  assert.match(await failureOf(edit("a", "x".repeat(50_000))), /^The edited "f" would have more/);
  assert.match(await failureOf(edit("a".repeat(300_000), "b")), /^old_text has 300000 characters/);
  const message = await failureOf(edit("a", "b", false));
  assert.match(message, /^old_text is in "f" 9000 times, at lines 1\./);
  assert.deepEqual(await edit("aa", "b"), { content: "b".repeat(4_500), count: 4_500, lines: "1" });
});

Deno.test("editText() yields to other work during a long search in repetitive text", async () => {
  // For this text, String.indexOf() would compare a quarter of a million characters at each of four million positions.
  const content = "a".repeat(4 * 1024 * 1024);
  const oldText = `${"a".repeat(100_000)}b${"a".repeat(100_000)}`;
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  try {
    const edit = { old_text: oldText, new_text: "", replace_all: true };
    assert.match(await failureOf(editText(content, edit, "f")), /^old_text is not in "f"/);
  } finally {
    clearInterval(others);
  }
  assert.ok(turns > 0);
});
