// Tests that file_search matches like V8's own expressions, and that hostile expressions end.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { LinePattern } from "../../../../runtime/tools/search/line_pattern.ts";
import { HOSTILE_EXPRESSIONS, HOSTILE_LINES } from "./hostile_expressions.ts";

const PLAIN = { literal: false, ignoreCase: false };

async function linesOf(source: string, text: string, options = PLAIN): Promise<string[]> {
  const pattern = await LinePattern.compile(source, options);
  const lines = [...pattern.linesOf(text)].map(({ from, to }) => text.slice(from, to));
  assert.equal(pattern.isIn(Buffer.from(text)), lines.length > 0);
  return lines;
}

Deno.test("LinePattern finds the same lines as an expression of V8 in each line", async () => {
  const part = fc.constantFrom(..."a b é (a|b) (ab|é) [ab] [^a] . \\w \\bab".split(" "));
  const count = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}", "+?");
  const expression = fc.array(fc.tuple(part, count).map((one) => one.join("")), {
    minLength: 1,
    maxLength: 5,
  });
  const anchored = fc.tuple(fc.constantFrom("", "^"), expression, fc.constantFrom("", "$"))
    .map(([start, parts, end]) => start + parts.join("") + end);
  const line = fc.string({ unit: fc.constantFrom(..."ab", "é", "A", " ", "😀"), maxLength: 8 });
  const property = fc.asyncProperty(
    anchored,
    fc.array(line, { minLength: 1, maxLength: 6 }),
    fc.boolean(),
    async (source, lines, ignoreCase) => {
      const native = new RegExp(source, ignoreCase ? "iu" : "u");
      const expected = lines.filter((one) => native.test(one));
      // The last line of a text is empty after a final line end, and is not a line then.
      const text = lines.join("\n") + "\n";
      assert.deepEqual(await linesOf(source, text, { literal: false, ignoreCase }), expected);
    },
  );
  await fc.assert(property, { numRuns: 150 });
});

Deno.test("LinePattern with literal text finds each line that contains the text", async () => {
  const unit = fc.constantFrom(..."ab.*\\(^é");
  const text = fc.string({ unit, minLength: 1, maxLength: 40 });
  const line = (source: string) =>
    fc.tuple(fc.string({ unit }), fc.constantFrom("", source, source.slice(1)), fc.string({ unit }))
      .map((parts) => parts.join(""));
  const searched = text.chain((source) => fc.tuple(fc.constant(source), fc.array(line(source))));
  await fc.assert(fc.asyncProperty(searched, async ([source, lines]) => {
    const found = await linesOf(source, lines.join("\n"), { literal: true, ignoreCase: false });
    assert.deepEqual(found, lines.filter((one) => one.includes(source)));
  }));
});

Deno.test("LinePattern ignores letter case", async () => {
  const ignoring = { literal: false, ignoreCase: true };
  assert.deepEqual(await linesOf("straße|ÄRGER", "STRAßE\närger\nx", ignoring), [
    "STRAßE",
    "ärger",
  ]);
  assert.deepEqual(await linesOf("k[a]", "\u212aA", ignoring), ["\u212aA"]);
  assert.deepEqual(await linesOf("(?i)abc", "xABC\nd"), ["xABC"]);
});

Deno.test("LinePattern finds nothing with hostile expressions in long lines, and ends", async () => {
  // proof/bench/search.ts searches for all of them.
  for (const source of HOSTILE_EXPRESSIONS.filter((_, index) => index % 3 === 0)) {
    assert.deepEqual(await linesOf(source, HOSTILE_LINES.join("\n")), [], source);
  }
});
