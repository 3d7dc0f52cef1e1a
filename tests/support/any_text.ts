// Random texts for property tests. fast-check's unit "binary" and its stringMatching() build a table of all code points
// first, which takes seconds in each thread.
import fc from "fast-check";

export const LETTERS = "abcdefghijklmnopqrstuvwxyz";

const SURROGATES = { first: 0xd800, count: 0x800 };

/** One character: often a control or another of the first 256, else any code point but a surrogate. */
const character = fc.oneof(
  fc.nat(0xff),
  fc.nat(0x10ffff - SURROGATES.count)
    .map((point) => point < SURROGATES.first ? point : point + SURROGATES.count),
).map((point) => String.fromCodePoint(point));

/** A text of any characters, `minLength` to `maxLength` of them. */
export function anyText(
  options: { minLength?: number; maxLength?: number } = {},
): fc.Arbitrary<string> {
  return fc.string({ unit: character, ...options });
}

/** A text of these pieces in any order, `minLength` to `maxLength` of them. */
export function textOf(
  pieces: Iterable<string>,
  options: { minLength?: number; maxLength: number },
): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...pieces), options).map((parts) => parts.join(""));
}
