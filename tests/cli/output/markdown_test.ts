import assert from "node:assert/strict";
import { formatBlocks, parseMarkdown } from "../../../cli/output/markdown/markdown.ts";
import { sanitize } from "../../../cli/output/sanitize.ts";
import { StreamedMarkdown } from "../../../cli/output/markdown/streamed_markdown.ts";
import { createStyle } from "../../../cli/output/style.ts";
import { widthOf } from "../../../cli/output/width.ts";

const plain = createStyle({ colors: false });
const colored = createStyle({ colors: true });

function format(text: string, options: { width?: number; colors?: boolean } = {}): string[] {
  const { width = 40, colors = false } = options;
  return formatBlocks(parseMarkdown(sanitize(text)), { width, style: colors ? colored : plain });
}

/** Returns the lines without color codes. */
function withoutColors(lines: readonly string[]): string[] {
  // deno-lint-ignore no-control-regex -- color codes are control characters
  return lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, ""));
}

Deno.test("formatBlocks() marks code without colors, and keeps its indentation", () => {
  assert.deepEqual(format("Use `x`:\n\n```ts\n\tindented\n```"), [
    "Use `x`:",
    "",
    "    indented",
  ]);
  assert.deepEqual(format("Use `x`", { colors: true }), ["Use \u001b[36mx\u001b[39m"]);
});

Deno.test("formatBlocks() shows the address of a link unless the label is the address", () => {
  assert.deepEqual(format("[notes](https://example.com/n) https://example.com <me@x.org>"), [
    "notes (https://example.com/n)",
    "https://example.com me@x.org",
  ]);
  const long = `https://example.com/${"path/".repeat(20)}`;
  assert.deepEqual(format(`See ${long} there`), ["See", long, "there"]);
  assert.deepEqual(format("![A cat](cat.png)"), ["[image: A cat] (cat.png)"]);
});

Deno.test("formatBlocks() colors runs of words, and resets the color at the end of each line", () => {
  assert.deepEqual(format("# One **two**", { colors: true }), [
    "\u001b[4m\u001b[1mOne two\u001b[22m\u001b[24m",
  ]);
  const [first = "", second = ""] = format("**one two**", { width: 4, colors: true });
  assert.deepEqual([first, second], ["\u001b[1mone\u001b[22m", "\u001b[1mtwo\u001b[22m"]);
});

Deno.test("formatBlocks() wraps text without spaces, too", () => {
  assert.deepEqual(format("日本語の文章はどこででも改行できる", { width: 12 }), [
    "日本語の文章",
    "はどこででも",
    "改行できる",
  ]);
  assert.deepEqual(format("x".repeat(25), { width: 10 }), [
    "x".repeat(10),
    "x".repeat(10),
    "xxxxx",
  ]);
});

Deno.test("formatBlocks() removes control characters from entities", () => {
  const lines = format("a &#27;[2J&#x9b;3Jb &#8238; [c&#7;](x&#27;) `&#27;` &amp; &lt;", {
    colors: true,
  });
  assert.doesNotMatch(withoutColors(lines).join("\n"), /[^\P{Cc}\n]|[\u202a-\u202e]/u);
  assert.match(withoutColors(lines).join(" "), /& </);
});

Deno.test("formatBlocks() keeps link definitions in their place", () => {
  assert.deepEqual(
    format("See [notes][1] and [1].\n\n[1]: https://example.com/n\n[1]: https://x.org"),
    ["See [notes][1] and [1].", "", "[1]: https://example.com/n", "", "[1]: https://x.org"],
  );
});

Deno.test("formatBlocks() does not change text that is nested too deeply for the parser", () => {
  const deep = `${">".repeat(5_000)} x`;
  assert.deepEqual(format(deep), [deep]);
});

Deno.test("StreamedMarkdown returns a block when the next block begins, and previews the current block", () => {
  const streamed = new StreamedMarkdown(() => ({ width: 20, style: plain }));
  assert.deepEqual(streamed.push("One\n\nTwo is so long that"), []);
  assert.deepEqual(streamed.push(" it wraps\n"), ["One"]);
  assert.deepEqual(streamed.preview(5), ["Two is so long that", "it wraps"]);
  assert.deepEqual(streamed.preview(1), ["it wraps"]);
  assert.deepEqual(streamed.push("\n- item"), []);
  assert.deepEqual(streamed.end(), ["", "Two is so long that", "it wraps", "", "• item"]);
  assert.deepEqual(streamed.preview(5), []);
  streamed.push(`\`\`\`\n${"x".repeat(30)}\n`.repeat(600));
  assert.deepEqual(streamed.preview(2).map(widthOf).every((width) => width <= 20), true);
});
