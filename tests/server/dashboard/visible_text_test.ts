import assert from "node:assert/strict";
import fc from "fast-check";
import { toVisible as toTerminal } from "../../../cli/output/visible_text.ts";
import { endOf, toReadable, toVisible } from "../../../server/dashboard/client/visible_text.ts";
import { UNSEEN_TEXTS, WRITTEN_TEXTS } from "../../support/unseen_texts.ts";
import { anyText } from "../../support/any_text.ts";

const strange = fc.array(
  fc.oneof(
    anyText(),
    fc.constantFrom(
      ...["\u001b[31m", "\u001b]0;x\u0007", "\u009b", "\r\n", "\u007f"],
      ...UNSEEN_TEXTS.map(([text]) => text),
      ...WRITTEN_TEXTS,
    ),
  ),
).map((parts) => parts.join(""));

Deno.test("toVisible() shows on the page what the terminal shows", () => {
  for (const [text, shown] of UNSEEN_TEXTS) {
    assert.equal(toVisible(text), shown);
    assert.equal(toReadable(text), shown);
  }
  for (const text of WRITTEN_TEXTS) assert.equal(toReadable(text), text);
  fc.assert(fc.property(strange, (text) => assert.equal(toVisible(text), toTerminal(text))));
});

Deno.test("toReadable() leaves what toVisible() made as it is: both may meet a text", () => {
  fc.assert(fc.property(strange, (text) => {
    assert.equal(toReadable(toVisible(text)), toVisible(text));
    assert.equal(toReadable(toReadable(text)), toReadable(text));
  }));
});

Deno.test("toReadable() hides no letter: what stands between control characters is all there", () => {
  const letters = fc.string({ unit: fc.constantFrom(..."abc ./\n\tש漢🐉") });
  fc.assert(fc.property(fc.array(letters), (parts) => {
    assert.equal(toReadable(parts.join("\u202e")), parts.join("\\u202e"));
  }));
});

Deno.test("toReadable() drops colours and makes line breaks alike; toVisible() leaves nothing out", () => {
  const coloured = "\u001b[1;31mred\u001b[0m\r\ndone";
  assert.equal(toReadable(coloured), "red\ndone");
  assert.equal(toVisible(coloured), "\\u001b[1;31mred\\u001b[0m\\r\ndone");
  assert.equal(toReadable("rm \u001b]0;-rf /\u0007x"), "rm \\u001b]0;-rf /\\u0007x");
  assert.equal(toReadable("10%\r50%"), "10%\n50%");
});

Deno.test("endOf() is the end of a text in whole characters", () => {
  assert.equal(endOf("abc", 3), "abc");
  assert.equal(endOf("abc", 2), "bc");
  assert.equal(endOf("a\u{1f409}b", 2), "b");
  assert.equal(endOf("a\u{1f409}b", 3), "\u{1f409}b");
});
