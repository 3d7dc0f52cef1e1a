import assert from "node:assert/strict";
import fc from "fast-check";
import { PasteTranslator, restoreLineBreaks } from "../../../cli/prompting/pasted_text.ts";

const START = "\u001b[200~";
const END = "\u001b[201~";

function translate(...pieces: string[]): string {
  const translator = new PasteTranslator();
  return pieces.map((piece) => translator.translate(piece)).join("");
}

Deno.test("PasteTranslator does not change typed keys, even if they begin like a paste mark", () => {
  for (const keys of ["hello", "\r", "\u001b", "\u001b[A", "\u001b[2~x", "Zoë 🚀", "\u0003"]) {
    assert.equal(translate(keys), keys);
  }
  assert.equal(translate("\u001b[2", "~x"), "\u001b[2~x");
  const translator = new PasteTranslator();
  assert.equal(translator.translate("\u001b"), "\u001b", "Esc is not held back");
});

Deno.test("PasteTranslator turns a paste into one line with restorable line breaks", () => {
  const keys = translate(`a${START}one\r\ntwo\rthree\nfour${END}b\r`);
  assert.equal(keys, "aone␤two␤three␤fourb\r");
  assert.equal(restoreLineBreaks(keys.slice(0, -1)), "aone\ntwo\nthree\nfourb");
});

Deno.test("PasteTranslator reads Alt+Enter as a line break that does not send the line", () => {
  const keys = translate("one\u001b\rtwo\u001b\nthree\r");
  assert.equal(keys, "one␤two␤three\r");
  assert.equal(restoreLineBreaks(keys.slice(0, -1)), "one\ntwo\nthree");
  assert.equal(translate("\u001b", "\r"), "\u001b\r", "Esc, and Enter after it, are two keys");
});

Deno.test("PasteTranslator removes control characters from a paste", () => {
  assert.equal(translate(`${START}rm\u0003 -rf\u001b[A\u007f\t.${END}`), "rm -rf[A\t.");
});

Deno.test("PasteTranslator returns the same keys for every division of the input", () => {
  const key = fc.constantFrom("a", "\r", "\n", "\r\n", START, END, "\u001b[A", "\u001b[2~", "~");
  fc.assert(fc.property(fc.array(fc.tuple(key, fc.nat(6))), (keys) => {
    const pieces = keys.flatMap(([text, at]) => {
      const cut = text.startsWith("\u001b") ? Math.max(3, at) : at;
      return [text.slice(0, cut), text.slice(cut)];
    });
    assert.equal(translate(...pieces, "x"), translate(keys.map(([text]) => text).join("") + "x"));
  }));
});
