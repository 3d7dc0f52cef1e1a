import assert from "node:assert/strict";
import fc from "fast-check";
import { beginningOf, cutEnd, endOf } from "../../../base/text/cut_text.ts";

Deno.test("cutEnd() returns short texts unchanged, and marks a cut", () => {
  assert.equal(cutEnd("abc😀d", 6), "abc😀d");
  assert.equal(cutEnd("abc😀d", 5), "abc…");
});

Deno.test("beginningOf() returns at most the given number of whole characters", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 20 });
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 20 }), (one, max) => {
      const kept = beginningOf(one, max);
      assert.ok(one.startsWith(kept) && kept.length <= max && kept.isWellFormed());
      assert.ok(kept.length >= Math.min(one.length, max) - 1);
    }),
  );
});

Deno.test("endOf() returns the end of a text, in whole characters", () => {
  assert.equal(endOf("abc", 3), "abc");
  assert.equal(endOf("abc", 2), "bc");
  assert.equal(endOf("a\u{1f409}b", 2), "b");
  assert.equal(endOf("a\u{1f409}b", 3), "\u{1f409}b");
});
