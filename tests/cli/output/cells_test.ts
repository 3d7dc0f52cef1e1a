// Compares the measured width of non-ASCII text with the package fast-string-width.
import assert from "node:assert/strict";
import fastStringWidth from "fast-string-width";
import fc from "fast-check";
import { widthOf } from "../../../cli/output/width.ts";

Deno.test("widthOf() agrees with fast-string-width on usual texts", () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.constantFrom("ä", "é", "ß", "ñ", "Ж", "λ", "א", "ع", "…", "–", "✔", "→", "°", "×"),
    fc.constantFrom("日", "本", "語", "か", "カ", "한", "글", "、", "。", "「", "！", "ﾊ"),
    fc.constantFrom("🚀", "📅", "👍🏽", "👨‍👩‍👧", "🇩🇪", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "☕", "⚠️", "❤️", "🧑‍🚀", "1️⃣", "🏳️‍🌈"),
    fc.constantFrom("e\u0301", "\u001b[31m", "\u001b[0m", "\u001b[1;4m"),
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
    const text = pieces.join("");
    assert.equal(widthOf(text), fastStringWidth(text), JSON.stringify(text));
  }));
});
