// Replacing text without touching anything else.
import assert from "node:assert/strict";
import fc from "fast-check";
import { editText } from "../../runtime/tools/text_edit.ts";

const line = fc.stringMatching(/^[ab $&]{0,4}$/);

Deno.test("editText() changes the place and nothing else, in LF and CRLF files alike", () => {
  fc.assert(fc.property(
    fc.array(line, { maxLength: 5 }),
    fc.array(line, { maxLength: 5 }),
    fc.array(line, { minLength: 1, maxLength: 4 }),
    fc.constantFrom("\n", "\r\n"),
    (before, after, replacement, end) => {
      const text = (middle: string[]) => [...before, ...middle, ...after].join(end);
      const content = text(["<here>", "<there>"]);
      const edit = {
        oldText: "<here>\n<there>",
        newText: replacement.join("\n"),
        replaceAll: false,
      };
      const edited = editText(content, edit, "f");
      assert.equal(edited.content, text(replacement));
      assert.deepEqual(edited.lines, [before.length + 1]);
    },
  ));
});

Deno.test("editText() decides by the place in a file with both line ends", () => {
  const content = "a\nb\nc\r\nd\r\n";
  const edit = (oldText: string, newText: string) =>
    editText(content, { oldText, newText, replaceAll: false }, "f").content;
  assert.equal(edit("a\nb", "1\n2"), "1\n2\nc\r\nd\r\n");
  assert.equal(edit("c\nd", "3\n4"), "a\nb\n3\r\n4\r\n");
});

Deno.test("editText() takes CRLF text for a file with LF", () => {
  assert.equal(
    editText("a\nb\n", { oldText: "a\r\nb", newText: "1\r\n2", replaceAll: false }, "f").content,
    "1\n2\n",
  );
});
