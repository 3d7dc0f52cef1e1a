import assert from "node:assert/strict";
import fc from "fast-check";
import { createStyle } from "../../../cli/output/style.ts";
import { widthOf } from "../../../cli/output/width.ts";
import { wrapExactly, wrapSpans, wrapText } from "../../../cli/output/wrap.ts";
import { LETTERS, textOf } from "../../support/any_text.ts";

Deno.test("wrapExactly() breaks after spaces, indents the rest, and keeps every character", () => {
  assert.equal(
    wrapExactly("short\n    text: one two  three four", 16),
    "short\n    text: one \n  ↪   two  \n  ↪   three four",
  );
  assert.equal(
    wrapExactly("a word-that-is-too-long-for-it b", 10),
    "a \n  word-that-is-too-long-for-it \n  b",
  );
  const word = fc.tuple(textOf(LETTERS, { minLength: 1, maxLength: 9 }), fc.nat(2)).map((
    [text, more],
  ) => `${text} ${" ".repeat(more)}`);
  fc.assert(
    fc.property(
      fc.tuple(textOf(" ", { maxLength: 4 }), fc.array(word, { minLength: 1, maxLength: 21 })).map((
        [indent, words],
      ) => `${indent}${words.join("").trimEnd()}`),
      fc.integer({ min: 20, max: 60 }),
      (line, width) => {
        const [first = "", ...rest] = wrapExactly(line, width).split("\n");
        const indent = (/^ */.exec(line)?.[0].length ?? 0) + 2;
        assert.equal(first + rest.map((one) => one.slice(indent)).join(""), line);
        assert.ok([first, ...rest].every((one) => one.length <= width));
      },
    ),
  );
});

Deno.test("wrapText() breaks between words, and does not change fitting lines", () => {
  assert.equal(wrapText("one two  three", 40), "one two  three");
  assert.equal(wrapText("one two three", 9), "one two\nthree");
  assert.equal(wrapText("one two three", Infinity), "one two three");
  assert.equal(wrapText("short\na longer line\n", 8), "short\na longer\nline\n");
});

Deno.test("wrapText() keeps the indent, and indents further lines with `hanging`", () => {
  assert.equal(wrapText("    one two three", 12), "    one two\n    three");
  assert.equal(wrapText("one two three", 8, { hanging: 2 }), "one two\n  three");
});

Deno.test("wrapText() does not break commands, addresses and paths", () => {
  assert.equal(
    wrapText('Look at "inkling logs -e 12" for more', 20),
    'Look at\n"inkling logs -e 12"\nfor more',
  );
  assert.equal(
    wrapText("Answer it with: inkling respond 12 --yes (or --no)", 26),
    "Answer it with:\ninkling respond 12 --yes\n(or --no)",
  );
  assert.equal(wrapText(`in /${"long/".repeat(8)} it`, 20), `in\n/${"long/".repeat(8)}\nit`);
  assert.equal(wrapText("before POST /scheduler/resume", 12), "before\nPOST /scheduler/resume");
});

Deno.test("wrapText() ignores color codes", () => {
  const red = createStyle({ colors: true }).red("Error:");
  assert.equal(wrapText(`${red} one two`, 10), `${red} one\ntwo`);
});

Deno.test("wrapSpans() keeps every character except the spaces at line breaks, within the width", () => {
  const style = createStyle({ colors: false });
  const text = textOf(`${LETTERS}日本🚀é -`, { maxLength: 80 });
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 4 }),
      fc.integer({ min: 4, max: 30 }),
      (texts, width) => {
        const lines = wrapSpans(texts.map((text) => ({ text })), { width, style });
        for (const line of lines) assert.ok(widthOf(line) <= width, line);
        const squeeze = (text: string) => text.replaceAll(" ", "");
        assert.equal(squeeze(lines.join("")), squeeze(texts.join("")));
      },
    ),
  );
});
