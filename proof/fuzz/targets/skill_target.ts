// Fuzzes the reader of skills with names of scripts, first lines of scripts, and text that imitates the prompt's tags.
import assert from "node:assert/strict";
import fc from "fast-check";
import { join } from "node:path";
import { toPromptLine } from "../../../runtime/vocabulary/untrusted_text.ts";
import { parseScriptName, shellOf } from "../../../runtime/tools/skills/script_names.ts";
import { isWithin } from "../../../runtime/tools/files/place.ts";
import { ToolFailure } from "../../../runtime/tools/failures/tool_failure.ts";
import { defineTarget } from "../target.ts";
import { textOf } from "../../../tests/support/any_text.ts";

const NAMES = [
  "scripts/",
  "..",
  "/",
  "./",
  "a",
  "é",
  " ",
  "\\",
  "-",
  ".",
  ".sh",
  ".ts",
  "\0",
  "\n",
];
const LINES = ["#!", "#! ", "/bin/bash", "/usr/bin/env bash", " -eu", "\t", "\r\n", "\n", "bash"];
const TAGS = ["<", "</", " ", "\n", "task", ">", "environment", "skill-context", "TASK", "b", "s"];

export const skillTexts = defineTarget({
  name: "skill-texts",
  claim:
    "a script's name opens no other place, its first line names a program, and no text is a tag",
  cases: () =>
    fc.tuple(
      textOf(NAMES, { maxLength: 10 }),
      textOf(LINES, { maxLength: 8 }),
      textOf(TAGS, { maxLength: 14 }),
    ),
  check([name, script, text]) {
    try {
      for (const candidate of parseScriptName(name).candidates) {
        const path = join("/skill", candidate);
        assert.ok(isWithin(path, "/skill") && path !== "/skill", `${name} is ${path}`);
        assert.ok(!candidate.includes(".."), candidate);
      }
    } catch (error) {
      assert.ok(error instanceof ToolFailure, String(error));
    }
    const [program = "", ...more] = shellOf(script);
    assert.match(program, /^(sh|\/[^\s]*)$/);
    assert.ok(more.length <= 1 && !/[\r\n]/.test(more.join("")));
    assert.doesNotMatch(
      toPromptLine(text, 1_000),
      /<\s*\/?\s*(environment|task|skill-context)[\s>]/i,
    );
  },
});
