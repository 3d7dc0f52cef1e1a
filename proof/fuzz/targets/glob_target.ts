// Fuzzes globs: compares their results with another library, and tries patterns that are meant to take forever.
import assert from "node:assert/strict";
import fc from "fast-check";
import picomatch from "picomatch";
import { compileGlob, MAX_GLOB_CHARACTERS } from "../../../base/files/glob.ts";
import { createWatchFilter } from "../../../runtime/triggers/watch/watched_paths.ts";
import { parse } from "../../../tests/runtime/agents/parsed_file.ts";
import { anyText } from "../odd_text.ts";
import { defineTarget } from "../target.ts";

const NAMES = ["a", "b", "ab", "aab", "ba", ".a", "a.md", "b.txt", ".git", "x"];
/**
 * The parts from which patterns are joined. They contain only syntax that both compileGlob and picomatch have: picomatch
 * has no `[!a]`, and no braces around a single alternative.
 */
const PATTERN_NAMES = [
  ...[
    "a",
    "b",
    "*",
    "*",
    "**",
    "?",
    "??",
    "*.md",
    "a*",
    "*a*b",
    "[ab]",
    "[a-c]*",
    ".*",
    "{a,b}",
    "{a*,?b}",
  ],
  ...["*.{md,txt}", "a{,b}", "{a..c}", "**", "\\*a", "x"],
];
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 5 }).map((names) =>
  names.join("/")
);
// A pattern does not end with `/**`: for picomatch, `a/**` also matches the folder `a` itself.
const pattern = fc.array(fc.constantFrom(...PATTERN_NAMES), { minLength: 1, maxLength: 4 })
  .map((names) => names.join("/")).filter((glob) => !glob.endsWith("/**"));

export const globs = defineTarget({
  name: "globs",
  claim: "a glob matches what another library matches",
  cases: () => fc.tuple(pattern, path, fc.boolean()),
  check([glob, text, dot]) {
    const matcher = compileGlob(glob, { dot });
    assert.ok(typeof matcher === "function", glob);
    const other: (path: string) => boolean = picomatch(glob, {
      dot,
      noextglob: true,
      nonegate: true,
    });
    assert.equal(matcher(text), other(text), `${glob} over ${text}`);
  },
});

const HOSTILE = [
  ...[
    "*",
    "*a",
    "a*",
    "**",
    "**/",
    "*/",
    "?",
    "{a,aa}",
    "{a,",
    "{",
    "}",
    ",",
    "(a|a)+",
    "+(a|a)+(b)",
    "!(a)",
    "@(a|aa)",
  ],
  ...[
    "*(a*)",
    "?(a)",
    "[a",
    "[!a]",
    "[]",
    "[^]",
    "[a-]",
    "[\\]]",
    "\\",
    "{1..9}",
    "{1..99999}",
    "{a..z}",
    "b",
    "/",
    ".",
  ],
  ...["{*,*}", "{**,**/a}", "a", "{a,{a,{a,a}}}", "^", "$", "..", "é", "🚀", "[[:alpha:]]"],
];
const hostile = fc.tuple(
  fc.array(fc.constantFrom(...HOSTILE), { minLength: 1, maxLength: 8 }).map((parts) =>
    parts.join("")
  ),
  fc.constantFrom(1, 1, 3, 20, 300),
).map(([text, times]) => text.repeat(times));
const longPath = fc.tuple(
  fc.constantFrom("a", "ab", "a/", "aaaa/", ".a/", "🚀"),
  fc.integer({ min: 1, max: 2_000 }),
)
  .map(([text, times]) => text.repeat(times).slice(0, 4_000));

export const hostileGlobs = defineTarget({
  name: "hostile-globs",
  claim:
    "a pattern is refused with its reason, or matches any path quickly; the agent file's check agrees",
  cases: () => fc.tuple(fc.oneof(hostile, anyText), longPath, fc.boolean()),
  check([glob, text, dot]) {
    const matcher = compileGlob(glob, { dot });
    if (typeof matcher !== "function") return assert.match(matcher.reason, /^is too complicated: /);
    assert.ok(glob.length <= MAX_GLOB_CHARACTERS);
    matcher(text);
    assert.equal(matcher(""), false);
    const result = parse(
      `---\ntrigger: {type: watch, paths: [in], filters: {include: [${
        JSON.stringify(glob)
      }]}}\n---\nDo it.\n`,
    );
    // A pattern that is valid in an agent file must not throw when a file changes.
    if ("agent" in result) {
      createWatchFilter(glob, { include: [glob], exclude: [glob] })(text, "folder");
    }
  },
});
