import assert from "node:assert/strict";
import fc from "fast-check";
import { toPlainLine, toPlainText } from "../../../base/text/plain_text.ts";

Deno.test("toPlainText() drops characters that move a cursor, hide or turn text", () => {
  const text = "a\x1b[2Jb\x1b]0;title\x07c\u202ed\r\ne\x00\tf\ud800";
  assert.equal(toPlainText(text), "abcd\ne\tf");
});

Deno.test("toPlainLine() returns one line of limited length in whole characters", () => {
  assert.equal(toPlainLine(" a\n\n b\tc\u2028d ", 7), "a b c d");
  const units = fc.array(fc.oneof(fc.nat(0x2100), fc.nat(0xffff)))
    .map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(units, fc.integer({ min: 1, max: 20 }), (one, max) => {
      const line = toPlainLine(one, max);
      assert.ok(line.length <= max && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(line));
    }),
  );
});
