// Reproducible random numbers.

/** Creates a generator of numbers from 0 (inclusive) to 1 (exclusive). The same seed gives the same numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // Marsaglia's xorshift, 32 bits.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}
