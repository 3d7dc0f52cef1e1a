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

/** Minutes of samples before growth is judged: in less, memory goes up and down by more than it may grow. */
export const JUDGED_MINUTES = 10;

const WINDOW_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The lowest sample of each window: what garbage has not been collected yet is no growth. */
export function lowestOfWindows(
  samples: readonly MemorySample[],
  windowMs: number,
): MemorySample[] {
  const start = samples[0]?.at ?? 0;
  const lowest = new Map<number, MemorySample>();
  for (const sample of samples) {
    const window = Math.floor((sample.at - start) / windowMs);
    const known = lowest.get(window);
    if (known === undefined || sample.megabytes < known.megabytes) lowest.set(window, sample);
  }
  return [...lowest.values()];
}

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

/** How memory grew, and whether that is more than it may. */
export interface MemoryGrowth {
  all: Slope | undefined;
  /** Through the lowest sample of each minute: this is what is judged. */
  floor: Slope | undefined;
  /** Beyond the limit by more than chance alone explains: twice the standard error. */
  isTooMuch: boolean;
}

/** The growth of memory, in megabytes an hour. */
export function judgeMemory(samples: readonly MemorySample[], limit: number): MemoryGrowth {
  const floor = fitSlope(lowestOfWindows(samples, WINDOW_MS));
  const isTooMuch = floor !== undefined && floor.samples >= JUDGED_MINUTES &&
    floor.megabytesPerHour - 2 * floor.error > limit;
  return { all: fitSlope(samples), floor, isTooMuch };
}
