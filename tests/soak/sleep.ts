// Real time that passes: a soak has no other.

/** Resolves so many milliseconds later. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
