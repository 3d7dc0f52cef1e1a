import assert from "node:assert/strict";
import { type Found, SecretFinder } from "../../../runtime/secrets/secret_finder.ts";
import { seededRandom } from "../../support/seeded_random.ts";

/** Finds the longest needle at each position by trying all needles. */
function findSlowly(needles: readonly string[], text: string): Found[] {
  const found: Found[] = [];
  for (let from = 0; from < text.length; from++) {
    const lengths = needles.filter((one) => text.startsWith(one, from)).map((one) => one.length);
    const to = from + Math.max(0, ...lengths);
    if (to > from && to > (found.at(-1)?.to ?? 0)) found.push({ from, to, name: "" });
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
  for (let round = 0; round < 2_000; round++) {
    const shortest = 1 + draw(9);
    const needles = Array.from({ length: draw(6) }, () => word(shortest + draw(8)));
    // Needles that begin with another needle share a branch.
    needles.push(...needles.map((one) => one + word(draw(3))));
    const text = word(draw(30)) + needles.join(word(draw(2))) + word(draw(10));
    const finder = new SecretFinder(needles.map((one) => ({ text: one, name: "" })));
    assert.deepEqual(finder.find(text), findSlowly(needles, text));
    for (const end of [text, ...needles.map((one) => text + one.slice(0, -1))]) {
      assert.equal(finder.openEnd(end), openEndSlowly(needles, end));
    }
  }
});
