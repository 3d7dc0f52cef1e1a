// Steps of the trial, which are printed with their duration.

/** Runs a step and prints it. Rejects when it fails. */
export async function step<T>(name: string, run: () => Promise<T> | T): Promise<T> {
  const start = performance.now();
  const result = await run();
  console.log(`${name}: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  return result;
}
