// Tests of the words that shells pass, and of the printed completions.
import assert from "node:assert/strict";
import fc from "fast-check";
import { formatAnswer, readTypedWord } from "../../../cli/completions/shell.ts";

Deno.test("readTypedWord() removes quotation marks and backslashes, and expands nothing", () => {
  const cases: [typed: string, text: string, quote: string][] = [
    ["daily", "daily", ""],
    ["my\\ agent", "my agent", ""],
    ["'my agent'", "my agent", ""],
    ["'my ag", "my ag", "'"],
    ['"my ag', "my ag", '"'],
    ['"a\\"b\\$c\\d', 'a"b$c\\d', '"'],
    ["a'b c'd\"e f\"", "ab cde f", ""],
    ["a\\", "a", ""],
    ["$(touch x)", "$(touch x)", ""],
    ["", "", ""],
  ];
  for (const [typed, text, quote] of cases) {
    assert.deepEqual(readTypedWord(typed), { text, quote }, typed);
  }
});

Deno.test("formatAnswer() quotes for bash so that readTypedWord() reads the value back", () => {
  fc.assert(fc.property(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.constantFrom("", '"', "'"),
    (value, quote) => {
      // Within single quotes a single quote cannot be escaped.
      fc.pre(quote !== "'" || !value.includes("'"));
      const completion = { candidates: [{ value, description: "" }], fallback: "none" } as const;
      const line = { words: [""], kept: "", quote } as const;
      const [answer = ""] = formatAnswer("bash", completion, line).split("\n");
      assert.equal(readTypedWord(quote + answer).text, value);
    },
  ));
});

Deno.test("formatAnswer() leaves out a value with a line break", () => {
  const candidates = [{ value: "a\nb", description: "" }, { value: "c", description: "x\ny" }];
  const line = { words: [""], kept: "", quote: "" } as const;
  assert.equal(formatAnswer("zsh", { candidates, fallback: "files" }, line), "c\tx y\n:files\n");
});
