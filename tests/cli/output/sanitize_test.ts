import assert from "node:assert/strict";
import fc from "fast-check";
import { sanitize } from "../../../cli/output/sanitize.ts";

const FORBIDDEN = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u;

Deno.test("sanitize() does not change text without control characters", () => {
  const harmless = fc.string({ unit: "grapheme" }).filter((text) => !FORBIDDEN.test(text));
  fc.assert(fc.property(harmless, (text) => assert.equal(sanitize(text), text)));
  assert.equal(sanitize("a\tb\nc – 日本語 👩‍🚀"), "a\tb\nc – 日本語 👩‍🚀");
});

Deno.test("sanitize() removes whole escape sequences, not only their first character", () => {
  const table = [
    ["\u001b[31mred\u001b[0m", "red"],
    ["\u001b[2J\u001b[Hgone", "gone"],
    ["\u001b[?25lhidden", "hidden"],
    ["\u001b]0;a title\u0007text", "text"],
    ["\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["\u009b1mbold", "bold"],
    ["\u009d0;title\u009ctext", "text"],
    ["\u001bPq#0\u001b\\sixel", "sixel"],
    ["\u001bcreset", "reset"],
    ["\u001b(Bcharset", "charset"],
    ["one\r\ntwo\rthree", "one\ntwo\nthree"],
    ["right\u202eleft", "rightleft"],
    ["bell\u0007 back\b", "bell back"],
  ] as const;
  for (const [text, clean] of table) assert.equal(sanitize(text), clean);
});

Deno.test("sanitize() keeps the text after an escape sequence without an end", () => {
  assert.equal(sanitize("\u001b]0;title\nthe text"), "0;title\nthe text");
  assert.equal(sanitize("the text\u001b["), "the text");
});

Deno.test("sanitize() takes linear time for many incomplete sequences", () => {
  for (const start of ["\u001b[", "\u001b]", "\u009d", "\u001bP0"]) {
    const text = start.repeat(200_000);
    assert.doesNotMatch(sanitize(text), FORBIDDEN);
  }
});
