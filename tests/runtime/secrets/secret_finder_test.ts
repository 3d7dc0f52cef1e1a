import assert from "node:assert/strict";
import { type Mark, SecretFinder } from "../../../runtime/secrets/secret_finder.ts";
import { seededRandom } from "../../support/seeded_random.ts";

/** Tries all needles at each position, the longest first. */
function findSlowly(needles: readonly string[], text: string): Mark[] {
  const found: Mark[] = [];
  const ends = new Map<string, number>();
  const longestFirst = needles.toSorted((a, b) => b.length - a.length);
  for (let from = 0; from < text.length; from++) {
    const needle = longestFirst.find((one) =>
      text.startsWith(one, from) && from + one.length > (found.at(-1)?.to ?? 0) &&
      (ends.get(one) ?? 0) <= from
    );
    if (needle === undefined) continue;
    ends.set(needle, from + needle.length);
    found.push({ from, to: from + needle.length, name: "" });
  }
  return found;
}

function openEndSlowly(needles: readonly string[], text: string): number {
  for (let from = 0; from < text.length; from++) {
    const end = text.slice(from);
    if (needles.some((one) => one.length > end.length && one.startsWith(end))) return end.length;
  }
  return 0;
}

Deno.test("SecretFinder finds the same occurrences and open ends as a search for each needle", () => {
  const random = seededRandom(1);
  const draw = (most: number) => Math.floor(random() * (most + 1));
  const word = (length: number) =>
    Array.from({ length }, () => "ab\u00e9\ud83d\ude00"[draw(4)]).join("");
  for (let round = 0; round < 250; round++) {
    const shortest = 1 + draw(9);
    const needles = Array.from({ length: draw(6) }, () => word(shortest + draw(8)));
    // Needles may begin with another needle.
    needles.push(...needles.map((one) => one + word(draw(3))));
    const text = word(draw(30)) + needles.join(word(draw(2))) + word(draw(10));
    const finder = new SecretFinder(needles.map((one) => ({ value: one, name: "" })));
    assert.deepEqual(finder.find(text), findSlowly(needles, text));
    for (const end of [text, ...needles.map((one) => text + one.slice(0, -1))]) {
      assert.equal(finder.openEnd(end), openEndSlowly(needles, end));
    }
  }
});
