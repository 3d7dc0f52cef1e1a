// Random texts for property tests. They replace fast-check's unit "binary" and stringMatching(), which spend seconds in
// each thread on a table of all code points.
import fc from "fast-check";

export const LETTERS = "abcdefghijklmnopqrstuvwxyz";

const SURROGATES = { first: 0xd800, count: 0x800 };

/** One character: often one of the first 256 code points, otherwise any code point except a surrogate. */
const character = fc.oneof(
  fc.nat(0xff),
  fc.nat(0x10ffff - SURROGATES.count)
    .map((point) => point < SURROGATES.first ? point : point + SURROGATES.count),
).map((point) => String.fromCodePoint(point));

/** Generates texts of `minLength` to `maxLength` random characters. */
export function anyText(
  options: { minLength?: number; maxLength?: number } = {},
): fc.Arbitrary<string> {
  return fc.string({ unit: character, ...options });
}

/** Generates texts of `minLength` to `maxLength` of the given pieces, in random order. */
export function textOf(
  pieces: Iterable<string>,
  options: { minLength?: number; maxLength: number },
): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...pieces), options).map((parts) => parts.join(""));
}
