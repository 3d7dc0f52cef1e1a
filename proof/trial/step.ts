// Steps of the trial: each is told of, with how long it took.

/** Runs a step, and tells of it. Rejects when it fails. */
export async function step<T>(name: string, run: () => Promise<T> | T): Promise<T> {
  const start = performance.now();
  const result = await run();
  console.log(`${name}: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  return result;
}
