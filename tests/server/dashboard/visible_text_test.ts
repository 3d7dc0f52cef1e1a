import assert from "node:assert/strict";
import fc from "fast-check";
import { toVisible } from "../../../server/dashboard/client/visible_text.ts";

/** Control characters but line feed and tab, and overrides of the direction. */
const UNSEEN = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u;

const strange = fc.array(
  fc.oneof(
    fc.string(),
    fc.constantFrom(
      "\u001b[31m",
      "\u001b]0;x\u0007",
      "\u009b",
      "\u202e",
      "\u2067",
      "\r\n",
      "\u007f",
    ),
  ),
).map((parts) => parts.join(""));

Deno.test("toVisible() leaves nothing that is not seen, and does nothing to what it made", () => {
  fc.assert(fc.property(strange, (text) => {
    const shown = toVisible(text);
    assert.doesNotMatch(shown, UNSEEN);
    assert.equal(toVisible(shown), shown);
  }));
});

Deno.test("toVisible() hides no letter: what stands between control characters is all there", () => {
  const letters = fc.string({ unit: fc.constantFrom(..."abc ./\n\tש漢🐉") });
  fc.assert(fc.property(fc.array(letters), (parts) => {
    const text = parts.join("\u202e");
    assert.equal(toVisible(text), parts.join("[U+202E]"));
  }));
});

Deno.test("toVisible() shows a sign for each control character, and drops colours", () => {
  assert.equal(toVisible("\u001b[1;31mred\u001b[0m"), "red");
  assert.equal(toVisible("rm \u001b]0;-rf /\u0007x"), "rm ␛]0;-rf /␇x");
  assert.equal(toVisible("a\u0000b\u007fc\u009bd"), "a␀b␡c[U+009B]d");
  assert.equal(toVisible("photo\u202egnp.exe"), "photo[U+202E]gnp.exe");
  assert.equal(toVisible("10%\r50%\r\ndone"), "10%\n50%\ndone");
  const harmless = "One\ttwo\n👩‍👩‍👧‍👦 שלום \u200f漢字";
  assert.equal(toVisible(harmless), harmless);
});
