// Prints the steps of the trial with their durations.

/** Runs a step, prints its name and duration, and returns its result. Rejects if the step fails. */
export async function step<T>(name: string, run: () => Promise<T> | T): Promise<T> {
  const start = performance.now();
  const result = await run();
  console.log(`${name}: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  return result;
}
