// The growth of memory: a straight line through samples by least squares, with its standard error.

/** One sample of a process's memory. */
export interface MemorySample {
  /** Milliseconds from any origin. */
  at: number;
  megabytes: number;
}

/** A line through samples. */
export interface Slope {
  megabytesPerHour: number;
  /** Its standard error. */
  error: number;
  samples: number;
}

/** The number of samples (half an hour) before growth is judged: until then, compiled and optimized code grows more. */
export const JUDGED_SAMPLES = 60;

const HOUR_MS = 3_600_000;

/** Returns the line through these samples; undefined for fewer than three. */
export function fitSlope(samples: readonly MemorySample[]): Slope | undefined {
  const n = samples.length;
  if (n < 3) return undefined;
  const meanAt = samples.reduce((sum, { at }) => sum + at, 0) / n;
  const mean = samples.reduce((sum, { megabytes }) => sum + megabytes, 0) / n;
  let squares = 0;
  let products = 0;
  for (const { at, megabytes } of samples) {
    squares += (at - meanAt) ** 2;
    products += (at - meanAt) * (megabytes - mean);
  }
  if (squares === 0) return undefined;
  const slope = products / squares;
  const rest = samples.reduce(
    (sum, { at, megabytes }) => sum + (megabytes - mean - slope * (at - meanAt)) ** 2,
    0,
  );
  return {
    megabytesPerHour: slope * HOUR_MS,
    error: Math.sqrt(rest / (n - 2) / squares) * HOUR_MS,
    samples: n,
  };
}

/** Returns true when memory grew by more than the limit an hour, beyond twice the standard error. */
export function growsTooMuch(slope: Slope | undefined, limit: number): boolean {
  return slope !== undefined && slope.samples >= JUDGED_SAMPLES &&
    slope.megabytesPerHour - 2 * slope.error > limit;
}
