// Fuzzes the printing of a model's text on a terminal.
import assert from "node:assert/strict";
import fc from "fast-check";
import { formatBlocks, parseMarkdown } from "../../../cli/output/markdown/markdown.ts";
import { escapeJsonLine, sanitize, toOneLine } from "../../../cli/output/sanitize.ts";
import { SanitizedStream } from "../../../cli/output/sanitized_stream.ts";
import { StreamedMarkdown } from "../../../cli/output/markdown/streamed_markdown.ts";
import { createStyle } from "../../../cli/output/style.ts";
import { widthOf } from "../../../cli/output/width.ts";
import { wrapExactly, wrapText } from "../../../cli/output/wrap.ts";
import { toPlainLine } from "../../../base/text/plain_text.ts";
import { anyText, cutAt, terminalText } from "../odd_text.ts";
import { defineTarget } from "../target.ts";

const FORBIDDEN = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u;
const style = createStyle({ colors: true });
const cuts = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 12 });

export const terminalTexts = defineTarget({
  name: "terminal-texts",
  claim: "no control sequence of a model reaches a terminal, in any pieces, and plain text is kept",
  cases: () => fc.tuple(terminalText, cuts),
  check([text, lengths]) {
    const clean = sanitize(text);
    assert.doesNotMatch(clean, FORBIDDEN);
    assert.equal(sanitize(clean), clean);
    const stream = new SanitizedStream();
    const shown = cutAt(text, lengths).map((piece) => stream.push(piece)).join("") + stream.end();
    assert.equal(shown, clean);
    const line = escapeJsonLine(JSON.stringify({ text, list: [text] }));
    assert.doesNotMatch(line, FORBIDDEN);
    assert.deepEqual(JSON.parse(line), { text, list: [text] });
  },
});

/** Generates lines of Markdown, ordinary and hostile. */
const markdownLine = fc.oneof(
  fc.constantFrom(
    ...[
      "",
      "",
      "# Head",
      "text *em* `c`",
      "- item",
      "  - nested",
      "1. one",
      "> quote",
      "```",
      "````",
      "***",
      "~~~",
    ],
    ...[
      "```ts",
      "    code",
      "| a | b |",
      "| - | - |",
      "| 1 | 2 |",
      "---",
      "===",
      "<div>",
      "<!-- ",
      "&#27;[2J",
      "&#x9b;",
    ],
    ...[
      "- [ ] open",
      "[x](https://example.com)",
      "[x]: <\u001b]0;t\u0007>",
      "[x]",
      "\ttab",
      "word  ",
      "  continued",
    ],
    ...[
      "![a](b)",
      "<a\u001b[2J@b.c>",
      "\\",
      "**",
      "__a__b*c_",
      "&#8238;",
      "https://x.org/\u001b[31m",
      "`\u009b1m`",
    ],
  ),
  terminalText,
);
const markdownText = fc.array(markdownLine, { maxLength: 12 }).map((lines) => lines.join("\n"));

export const terminalMarkdown = defineTarget({
  name: "terminal-markdown",
  claim:
    "a Markdown reply is drawn within the width, with no control character except our colors, whole or in pieces",
  cases: () => fc.tuple(markdownText, cuts, fc.integer({ min: 20, max: 100 })),
  check([text, lengths, width]) {
    const clean = sanitize(text);
    const options = { width, style, cuts: true };
    const lines = formatBlocks(parseMarkdown(clean), options);
    for (const line of lines) {
      // deno-lint-ignore no-control-regex -- that is what colours are
      const plain = line.replaceAll(/\u001b\[\d+m/g, "");
      assert.doesNotMatch(plain, FORBIDDEN);
      assert.ok(!plain.includes("\n") && widthOf(plain) <= width, line);
    }
    const streamed = new StreamedMarkdown(() => options);
    const drawn = cutAt(clean, lengths).flatMap((piece) => {
      const done = streamed.push(piece);
      streamed.preview(5);
      return done;
    });
    assert.deepEqual([...drawn, ...streamed.end()], lines);
  },
});

/** Generates lines of a text that is shown for approval. The question indents these lines. */
const wrappedLine = fc.array(
  fc.oneof(
    fc.constantFrom(
      " ",
      "  ",
      "↪ ",
      "  ↪ ",
      "    ",
      "日本",
      "🚀",
      '"inkling run a b"',
      "https://x.org/a",
    ),
    fc.string({ unit: "grapheme", maxLength: 12 }),
  ),
  { maxLength: 12 },
).map((parts) => parts.join("").replaceAll(/[\n\r\p{Cc}]/gu, ""));

export const wrappedTexts = defineTarget({
  name: "wrapped-texts",
  claim: "wrapping loses no character, and a text for approval looks like no other",
  cases: () =>
    fc.tuple(
      fc.array(wrappedLine, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 20, max: 60 }),
      fc.nat(4),
    ),
  check([lines, width, hanging]) {
    const text = lines.map((line) => `    ${line}`).join("\n");
    assert.equal(unwrapped(wrapExactly(text, width)), text);
    const plain = lines.join("\n");
    const seen = (shown: string) => shown.replaceAll(/\s/g, "");
    assert.equal(seen(wrapText(plain, width, { hanging })), seen(plain));
  },
});

/**
 * Returns the original text from the output of wrapExactly(). Each line of the original is indented by at least four
 * spaces.
 */
function unwrapped(shown: string): string {
  const lines: string[] = [];
  for (const line of shown.split("\n")) {
    const last = lines.pop();
    if (last === undefined) lines.push(line);
    else if (line.startsWith("    ")) lines.push(last, line);
    else {
      const [indent = ""] = /^ */.exec(last) ?? [];
      const lead = `  ↪ ${indent.slice(4)}  `;
      assert.ok(line.startsWith(lead), line);
      lines.push(last + line.slice(lead.length));
    }
  }
  return lines.join("\n");
}

export const foreignLines = defineTarget({
  name: "foreign-lines",
  claim: "foreign text is shown as one line within its length limit",
  cases: () => fc.tuple(fc.oneof(terminalText, anyText), fc.integer({ min: 1, max: 40 })),
  check([text, most]) {
    const line = toPlainLine(text, most);
    assert.ok(line.length <= most && line.isWellFormed(), line);
    for (const one of [line, toOneLine(text)]) {
      assert.doesNotMatch(one, /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
    }
    assert.equal(toPlainLine(line, most), line);
    assert.equal(toOneLine(toOneLine(text)), toOneLine(text));
  },
});
