// How memory grows: a straight line through samples, by least squares, and how sure it is.

/** One look at the memory of a process. */
export interface MemorySample {
  /** Milliseconds, from anywhere. */
  at: number;
  megabytes: number;
}

/** A line through samples. */
export interface Slope {
  megabytesPerHour: number;
  /** The standard error of it. */
  error: number;
  samples: number;
}

/** Samples before growth is judged, half an hour of them: before, code that is compiled and optimised grows more than it may. */
export const JUDGED_SAMPLES = 60;

const HOUR_MS = 3_600_000;

/** The line through these samples; undefined for less than three, of which nothing can be said. */
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

/** Whether memory grew by more than it may an hour: by more than chance alone explains, which is twice the standard error. */
export function growsTooMuch(slope: Slope | undefined, limit: number): boolean {
  return slope !== undefined && slope.samples >= JUDGED_SAMPLES &&
    slope.megabytesPerHour - 2 * slope.error > limit;
}
