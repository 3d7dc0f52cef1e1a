// Fuzzes the completion of command lines with words as shells pass them at the Tab key.
import assert from "node:assert/strict";
import fc from "fast-check";
import { completeLine, type ValueSource } from "../../../cli/completions/complete_line.ts";
import { formatAnswer, readShellLine, readTypedWord } from "../../../cli/completions/shell.ts";
import { SHELLS } from "../../../cli/completions/shell_script.ts";
import { PROGRAM } from "../../../cli/program.ts";
import { splitShellWords } from "../../../runtime/tools/skills/shell_words.ts";
import { ToolFailure } from "../../../runtime/tools/failures/tool_failure.ts";
import { anyText, terminalText } from "../odd_text.ts";
import { defineTarget } from "../target.ts";
import { textOf } from "../../../tests/support/any_text.ts";

const word = fc.oneof(
  fc.constantFrom(
    ...[
      "",
      "run",
      "chat",
      "list",
      "logs",
      "respond",
      "start",
      "new",
      "help",
      "complete",
      "validate",
      "checkpoint",
    ],
    ...[
      "--",
      "-",
      "-d",
      "--agent",
      "--agent=",
      "--workspace",
      "-w",
      "--no",
      "--yes",
      "--choice",
      "-qv",
      "=",
      ":",
      "@",
    ],
    ...["--template=x", "--help", "-n", "12", "__proto__", "--constructor", "constructor"],
  ),
  textOf(["'", '"', "\\", "$(x)", "`x`", "a", " ", "é", "-", "="], { maxLength: 6 }),
  anyText,
);
const candidate = fc.record({ value: fc.oneof(anyText, terminalText), description: terminalText });

export const completionWords = defineTarget({
  name: "completion-words",
  claim:
    "any words get a list of whole lines that begin with the typed text, without control characters",
  cases: () =>
    fc.tuple(
      fc.constantFrom(...SHELLS),
      fc.array(word, { maxLength: 6 }),
      fc.array(candidate, { maxLength: 3 }),
    ),
  async check([shell, handed, candidates]) {
    const source: ValueSource = {
      agents: () => Promise.resolve(candidates),
      executions: () => Promise.resolve(candidates),
    };
    const line = readShellLine(shell, handed);
    const completion = await completeLine(PROGRAM, line.words, source);
    const answer = formatAnswer(shell, completion, line);
    const lines = answer.split("\n");
    assert.equal(lines.pop(), "");
    assert.match(lines.pop() ?? "", /^:(none|files|directories)$/);
    assert.ok(lines.length <= completion.candidates.length);
    assert.doesNotMatch(answer.replaceAll(/[\n\t]/g, ""), /\p{Cc}/u);
    if (shell !== "bash") return;
    // The text that bash would insert must parse back to the offered value.
    const offered = completion.candidates.filter(({ value }) => !/\p{Cc}/u.test(value));
    for (const [index, { value }] of offered.entries()) {
      if (line.quote === "'" && value.includes("'")) continue;
      const typed = line.quote + (lines[index] ?? "");
      assert.equal(readTypedWord(typed).text, value.slice(line.kept.length));
    }
  },
});

export const shellWords = defineTarget({
  name: "shell-words",
  claim:
    "a line of arguments is split as a shell splits it, or refused; quoted words are preserved",
  cases: () =>
    fc.tuple(
      fc.array(anyText, { maxLength: 4 }),
      textOf(["'", '"', "\\", " ", "\n", "a", "$x", "#", "|", "é"], { maxLength: 14 }),
    ),
  check([words, line]) {
    const quoted = words.map((one) => `'${one.replaceAll("'", `'\\''`)}'`).join(" ");
    assert.deepEqual(splitShellWords(quoted), words);
    try {
      for (const one of splitShellWords(line)) assert.ok(one.length <= line.length);
    } catch (error) {
      assert.ok(error instanceof ToolFailure, String(error));
    }
  },
});
