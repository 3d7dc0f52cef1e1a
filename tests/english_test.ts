// Checks that comments and test names are plain English, by the rules that a program can check. CONTRIBUTING.md has the
// other rules.
import assert from "node:assert/strict";
import { join } from "node:path";
import { filesBelow, REPOSITORY, sourceFiles } from "./support/repository.ts";

/**
 * Comments that may break a rule, each given by a part of its text that no other comment contains. The list has at most 30
 * entries.
 */
const ALLOWED: readonly string[] = [
  // A list of flags, one to a line.
  "The permissions of Inkling, one flag each.",
  // Code in strings, which the check mistakes for a comment.
  "do case $(readlink $f) in",
  'yes: "drafts/a.md"',
  // A quoted sentence: the reason of a decision.
  "a full disk must cost lines, not the service",
];

const MOST_WORDS = 30;

/** Words that replace a noun. A comment that begins with one of them has no subject. */
const BARE_BEGINNING =
  /^(What|Whatever|Whether|Where|How|Why|Who|Whose|Whoever|Of|Those|That which|Nobody|All that)\b/;

/** Vague everyday words, each with the technical terms that replace it. */
const VAGUE_WORDS: readonly [RegExp, string][] = [
  [/\b(tells?|telling|told)\b/i, "report, log, print, return, notify"],
  [/\b(takes?|taking|took|taken) (up|in)\b/i, "resume, pick up, start, include"],
  [/\b(stands?|stood|standing)\b(?!-| (in )?for\b)/i, "be, contain"],
  [/\b(looks?|looked|looking)\b(?! like\b)/i, "read, check, scan"],
  [/\b(lets? go|letting go)\b/i, "release"],
  [/\b(becomes?|became|comes?|came) of\b/i, "the result of"],
  [/\bhears? of\b/i, "be notified of"],
  [/\bh(o|e)lds? back\b/i, "delay, keep"],
  [/\banew\b/i, "again"],
  [/\bby now\b/i, "leave it out"],
  [/\ball that\b/i, "everything, or the list"],
  [/\b(whoever|whosever)\b/i, "the noun"],
];

interface Text {
  /** The file and the line: "base/clock.ts:12". */
  place: string;
  text: string;
}

/** Returns the comments of a source file, and the names of its tests. Consecutive line comments are one text. */
function textsOf(file: string): Text[] {
  const source = Deno.readTextFileSync(join(REPOSITORY, file));
  const texts = source.matchAll(
    /\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/.*\n)+)|(?<=[;{,)] )\/\/(.*)|Deno\.test\(\s*("(?:[^"\\]|\\.)*")/gm,
  );
  return [...texts].map(({ index, 1: block, 2: lines, 3: rest, 4: name }) => ({
    place: `${file}:${source.slice(0, index).split("\n").length}`,
    text: (block ?? lines ?? rest ?? JSON.parse(name ?? '""') as string)
      .replaceAll(/^\s*(\*|\/\/)/gm, "").replaceAll(/\s+/g, " ").trim(),
  }));
}

function problemsOf(text: string): string[] {
  const plain = text.replaceAll(/`[^`]*`|"[^"]*"/g, "x");
  const problems: string[] = [];
  const beginning = BARE_BEGINNING.exec(plain)?.[0];
  if (beginning) problems.push(`begins with "${beginning}", and has no subject`);
  for (const sentence of plain.split(/(?<=[.:;!?])\s+/)) {
    const words = sentence.split(" ").length;
    if (words > MOST_WORDS) problems.push(`has a sentence of ${words} words`);
  }
  for (const [word, better] of VAGUE_WORDS) {
    const found = word.exec(plain)?.[0];
    if (found) problems.push(`says "${found}" (better: ${better})`);
  }
  return problems;
}

const FILES = [
  ...sourceFiles(),
  ...["proof", "tests"].flatMap((folder) => filesBelow(join(REPOSITORY, folder)))
    .filter((path) => /\.tsx?$/.test(path)).map((path) => path.slice(REPOSITORY.length + 1)),
].filter((file) => file !== "tests/english_test.ts");

Deno.test("comments and names of tests say who does what, in short sentences", () => {
  const texts = FILES.flatMap(textsOf);
  const offenders = texts
    .filter(({ text }) => !ALLOWED.some((part) => text.includes(part)))
    .flatMap(({ place, text }) =>
      problemsOf(text).map((problem) => `${place}: the text ${problem}: ${text.slice(0, 90)}`)
    );
  assert.ok(offenders.length === 0, `\n${offenders.join("\n")}`);
  const unused = ALLOWED.filter((part) => !texts.some(({ text }) => text.includes(part)));
  assert.deepEqual(unused, [], "no comment has these texts of the list");
  assert.ok(ALLOWED.length <= 30);
});
