// Generates YAML with the mistakes that people and programs make.
import fc from "fast-check";
import { ODD_CHARACTERS } from "./odd_text.ts";

const PIECES = [
  ...[
    "\n",
    "\n  ",
    "\n    ",
    "\t",
    ": ",
    ":",
    "- ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "&a ",
    "*a",
    "? ",
    "!!x ",
    "!!binary ",
  ],
  ...[
    "!!set ",
    '"',
    "'",
    "|\n ",
    ">-\n ",
    "<<: *a",
    "#",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "~",
    "null",
    "yes",
    "0x1F",
  ],
  ...[
    "1e3",
    ".inf",
    ".nan",
    "-0",
    "012",
    "2026-01-01",
    "__proto__",
    "constructor",
    "toString",
    "5m",
    "1h30m",
  ],
  ...[
    "* * * * *",
    "@daily",
    "manual",
    "schedule",
    "watch",
    "demo",
    "true",
    "false",
    "0.5",
    "-1",
    "9007199254740993",
  ],
];

/** Generates texts in which these keys are mixed with YAML's punctuation and values. */
export function yamlText(keys: readonly string[]): fc.Arbitrary<string> {
  const key = fc.constantFrom(...keys);
  const value = fc.oneof(
    fc.constantFrom(...PIECES),
    fc.jsonValue({ maxDepth: 2 }).map((one) => JSON.stringify(one)),
    fc.string({ unit: "grapheme", maxLength: 12 }),
  );
  // Most texts are maps with one key on each line, so that valid lines come before a broken line.
  const line = fc.tuple(fc.constantFrom("", "", "", "  ", "    ", "- "), key, value)
    .map(([indent, name, text]) => `${indent}${name}: ${text}`);
  const soup = fc.array(
    fc.oneof(fc.constantFrom(...PIECES), key, fc.constantFrom(...ODD_CHARACTERS)),
    { maxLength: 30 },
  ).map((parts) => parts.join(""));
  return fc.oneof(
    { weight: 3, arbitrary: fc.array(line, { maxLength: 8 }).map((lines) => lines.join("\n")) },
    { weight: 2, arbitrary: soup },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.array(line, { maxLength: 4 }), soup).map(([lines, text]) =>
        `${lines.join("\n")}\n${text}`
      ),
    },
  );
}
