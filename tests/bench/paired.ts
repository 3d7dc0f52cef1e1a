// Measuring: each figure as a ratio to a floor, in pairs taken one after the other, so that a busy machine hits both.

/** A figure: how often the floor's time, or room, the subject took. */
export interface Figure {
  name: string;
  /** Median of the paired ratios. */
  ratio: number;
  /** Medians of the two, for orientation only. */
  subject: number;
  floor: number;
  unit: "ms" | "bytes";
  pairs: number;
}

/** Times something once, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Runs floor and subject in turn, after one round to warm up, and compares. */
export async function comparePaired(
  name: string,
  options: {
    floor: () => Promise<unknown>;
    subject: () => Promise<unknown>;
    pairs: number;
  },
): Promise<Figure> {
  await options.floor();
  await options.subject();
  const floors: number[] = [];
  const subjects: number[] = [];
  for (let pair = 0; pair < options.pairs; pair++) {
    floors.push(await timed(options.floor));
    subjects.push(await timed(options.subject));
  }
  return toFigure(name, { floors, subjects, unit: "ms" });
}

/** A figure out of what was measured in pairs. */
export function toFigure(
  name: string,
  { floors, subjects, unit }: {
    floors: readonly number[];
    subjects: readonly number[];
    unit: Figure["unit"];
  },
): Figure {
  return {
    name,
    ratio: median(subjects.map((ms, pair) => ms / (floors[pair] ?? ms))),
    subject: median(subjects),
    floor: median(floors),
    unit,
    pairs: subjects.length,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}
