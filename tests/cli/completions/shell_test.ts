// Words as shells hand them over, and answers as they take them.
import assert from "node:assert/strict";
import fc from "fast-check";
import { formatAnswer } from "../../../cli/completions/shell.ts";
import { readTypedWord } from "../../../cli/completions/typed_word.ts";

Deno.test("readTypedWord() takes quotation marks and backslashes off, and runs nothing", () => {
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

Deno.test("formatAnswer() quotes for bash what readTypedWord() reads back, whatever is typed before", () => {
  fc.assert(fc.property(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.constantFrom("", '"', "'"),
    (value, quote) => {
      // Between single quotes nothing can stand for a single quote.
      fc.pre(quote !== "'" || !value.includes("'"));
      const completion = { candidates: [{ value, description: "" }], fallback: "none" } as const;
      const line = { words: [""], kept: "", quote } as const;
      const [answer = ""] = formatAnswer("bash", completion, line).split("\n");
      assert.equal(readTypedWord(quote + answer).text, value);
    },
  ));
});

Deno.test("formatAnswer() drops a value that would be two lines", () => {
  const candidates = [{ value: "a\nb", description: "" }, { value: "c", description: "x\ny" }];
  const line = { words: [""], kept: "", quote: "" } as const;
  assert.equal(formatAnswer("zsh", { candidates, fallback: "files" }, line), "c\tx y\n:files\n");
});
