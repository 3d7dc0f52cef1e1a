import assert from "node:assert/strict";
import fc from "fast-check";
import { sanitise } from "../../../cli/output/sanitise.ts";
import { toVisible, toVisibleLine } from "../../../cli/output/visible_text.ts";
import { UNSEEN_TEXTS, WRITTEN_TEXTS } from "../../support/unseen_texts.ts";
import { anyText } from "../../support/any_text.ts";

const strange = fc.array(fc.oneof(
  anyText(),
  fc.constantFrom(
    "\u001b]0;x\u0007",
    "\u001b[2J",
    "\u009b",
    "\r\n",
    "\u202e",
    "\u2028",
    "\u{e0041}",
  ),
)).map((parts) => parts.join(""));

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
    assert.equal(sanitise(shown), shown);
  }));
});

Deno.test("toVisible() shows what would not be seen, and keeps what writing is made of", () => {
  const table = [
    ["\u001b]0;touch pwned #\u0007", "\\u001b]0;touch pwned #\\u0007"],
    ["\u001bPq;rm x\u001b\\", "\\u001bPq;rm x\\u001b\\"],
    ["\u009d0;rm x\u009c", "\\u009d0;rm x\\u009c"],
    ["ok\rrm x\r\n", "ok\\rrm x\\r\n"],
    ["one\ttwo\n", "one\ttwo\n"],
    ...UNSEEN_TEXTS,
    ...WRITTEN_TEXTS.map((text) => [text, text] as const),
  ] as const;
  for (const [text, shown] of table) assert.equal(toVisible(text), shown);
});

Deno.test("toVisibleLine() joins lines and runs of white space", () => {
  assert.equal(toVisibleLine("  a\n\n b\t\u001b[1mc\r\n"), "a b \\u001b[1mc\\r");
});
