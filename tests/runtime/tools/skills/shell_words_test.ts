import assert from "node:assert/strict";
import { splitShellWords } from "../../../../runtime/tools/skills/shell_words.ts";
import { ToolFailure } from "../../../../runtime/tools/failures/tool_failure.ts";

const CASES: [line: string, words: string[]][] = [
  ["", []],
  ["  \t\n ", []],
  ["a b\tc\nd", ["a", "b", "c", "d"]],
  [`'a b' "c d"`, ["a b", "c d"]],
  [`'' ""`, ["", ""]],
  [`a''b"c d"e`, ["abc de"]],
  ["a\\ b", ["a b"]],
  [`'a\\b'`, ["a\\b"]],
  [`"a\\"b\\\\c\\n"`, [`a"b\\c\\n`]],
  ["it\\'s", ["it's"]],
  [`"it's"`, ["it's"]],
  ["a\\\nb", ["ab"]],
  ["$HOME `id` $(id) *.md ~ | ; > # !", [
    ...["$HOME", "`id`", "$(id)", "*.md", "~", "|", ";", ">", "#", "!"],
  ]],
  ["--name=\"Ada Lovelace\" 'größe 🙂'", ["--name=Ada Lovelace", "größe 🙂"]],
];

Deno.test("splitShellWords() splits like a shell, and expands nothing", () => {
  for (const [line, words] of CASES) assert.deepEqual(splitShellWords(line), words, line);
});

Deno.test("splitShellWords() reports an unclosed quote", () => {
  const refusal = { name: "ToolFailure", message: /have a " at character 3 that is never closed/ };
  assert.throws(() => splitShellWords(`a "b c`), refusal);
  for (const line of ["it's", `"a\\"`, "'", `"`, `a 'b" c`, '"\\', "a\\"]) {
    assert.throws(() => splitShellWords(line), ToolFailure, line);
  }
});
