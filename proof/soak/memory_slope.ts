// Calculates the growth of memory: a straight line through samples by least squares, with its standard error.

/** One sample of a process's memory. */
export interface MemorySample {
  /** The time in milliseconds. The origin is arbitrary, but the same for all samples. */
  at: number;
  megabytes: number;
}

/** The slope of the straight line through the samples. */
export interface Slope {
  megabytesPerHour: number;
  /** The standard error of the slope, in megabytes an hour. */
  error: number;
  samples: number;
}

/**
 * The minimum number of samples, half an hour of them, for a judgment. Until then, compiled and optimized code grows more.
 */
export const JUDGED_SAMPLES = 60;

const HOUR_MS = 3_600_000;

/** Returns the slope of the line through the samples; undefined for fewer than three samples or a single time. */
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

/**
 * Returns true if memory grew by more than `limit` megabytes an hour, even after twice the standard error is subtracted.
 */
export function growsTooMuch(slope: Slope | undefined, limit: number): boolean {
  return slope !== undefined && slope.samples >= JUDGED_SAMPLES &&
    slope.megabytesPerHour - 2 * slope.error > limit;
}
