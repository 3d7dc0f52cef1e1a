import assert from "node:assert/strict";
import fc from "fast-check";
import { sanitize } from "../../cli/output/sanitize.ts";
import { toReadable, toVisible, toVisibleLine } from "../../present/visible_text.ts";
import { UNSEEN_TEXTS, WRITTEN_TEXTS } from "../support/unseen_texts.ts";
import { anyText } from "../support/any_text.ts";

const strange = fc.array(
  fc.oneof(
    anyText(),
    fc.constantFrom(
      ...["\u001b]0;x\u0007", "\u001b[2J", "\u001b[31m", "\u009b", "\r\n", "\u007f", "\u202e"],
      ...["\u2028", "\u{e0041}"],
      ...UNSEEN_TEXTS.map(([text]) => text),
      ...WRITTEN_TEXTS,
    ),
  ),
).map((parts) => parts.join(""));

/** What the escapes of a text that holds no backslash of its own stand for. */
function unescape(text: string): string {
  return text.replaceAll("\\r", "\r").replaceAll(
    /\\u([0-9a-f]{4})/g,
    (_, unit) => String.fromCharCode(parseInt(unit, 16)),
  );
}

Deno.test("toVisible() leaves nothing out, and nothing that a terminal obeys", () => {
  fc.assert(fc.property(strange, (part) => {
    const text = part.replaceAll("\\", "/");
    const shown = toVisible(text);
    assert.equal(unescape(shown), text);
    assert.equal(sanitize(shown), shown);
  }));
});

Deno.test("toVisible() and toReadable() show what would not be seen, and keep what writing is made of", () => {
  const table = [
    ["\u001b]0;touch pwned #\u0007", "\\u001b]0;touch pwned #\\u0007"],
    ["\u001bPq;rm x\u001b\\", "\\u001bPq;rm x\\u001b\\"],
    ["\u009d0;rm x\u009c", "\\u009d0;rm x\\u009c"],
    ["rm \u001b]0;-rf /\u0007x", "rm \\u001b]0;-rf /\\u0007x"],
    ["one\ttwo\n", "one\ttwo\n"],
    ...UNSEEN_TEXTS,
    ...WRITTEN_TEXTS.map((text) => [text, text] as const),
  ] as const;
  for (const [text, shown] of table) {
    assert.equal(toVisible(text), shown);
    assert.equal(toReadable(text), shown);
  }
});

Deno.test("toVisibleLine() joins lines and runs of white space", () => {
  assert.equal(toVisibleLine("  a\n\n b\t\u001b[1mc\r\n"), "a b \\u001b[1mc\\r");
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

Deno.test("toReadable() drops colors and makes line breaks alike; toVisible() leaves nothing out", () => {
  const colored = "\u001b[1;31mred\u001b[0m\r\ndone";
  assert.equal(toReadable(colored), "red\ndone");
  assert.equal(toVisible(colored), "\\u001b[1;31mred\\u001b[0m\\r\ndone");
  assert.equal(toVisible("ok\rrm x\r\n"), "ok\\rrm x\\r\n");
  assert.equal(toReadable("10%\r50%"), "10%\n50%");
});
