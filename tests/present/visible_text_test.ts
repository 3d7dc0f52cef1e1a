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

/** Replaces the escapes in a text by their characters. The text contains no other backslashes. */
function unescape(text: string): string {
  return text.replaceAll("\\r", "\r").replaceAll(
    /\\u([0-9a-f]{4})/g,
    (_, unit) => String.fromCharCode(parseInt(unit, 16)),
  );
}

Deno.test("toVisible() keeps every character, and escapes all control sequences", () => {
  fc.assert(fc.property(strange, (part) => {
    const text = part.replaceAll("\\", "/");
    const shown = toVisible(text);
    assert.equal(unescape(shown), text);
    assert.equal(sanitize(shown), shown);
  }));
});

Deno.test("toVisible() and toReadable() escape invisible characters, except those that scripts need", () => {
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

Deno.test("toVisibleLine() joins lines and white space", () => {
  assert.equal(toVisibleLine("  a\n\n b\t\u001b[1mc\r\n"), "a b \\u001b[1mc\\r");
});

Deno.test("toReadable() does not change the result of toVisible()", () => {
  fc.assert(fc.property(strange, (text) => {
    assert.equal(toReadable(toVisible(text)), toVisible(text));
    assert.equal(toReadable(toReadable(text)), toReadable(text));
  }));
});

Deno.test("toReadable() keeps all text between control characters", () => {
  const letters = fc.string({ unit: fc.constantFrom(..."abc ./\n\tש漢🐉") });
  fc.assert(fc.property(fc.array(letters), (parts) => {
    assert.equal(toReadable(parts.join("\u202e")), parts.join("\\u202e"));
  }));
});

Deno.test("toReadable() removes colors and normalizes line breaks; toVisible() removes nothing", () => {
  const colored = "\u001b[1;31mred\u001b[0m\r\ndone";
  assert.equal(toReadable(colored), "red\ndone");
  assert.equal(toVisible(colored), "\\u001b[1;31mred\\u001b[0m\\r\ndone");
  assert.equal(toVisible("ok\rrm x\r\n"), "ok\\rrm x\\r\n");
  assert.equal(toReadable("10%\r50%"), "10%\n50%");
});
