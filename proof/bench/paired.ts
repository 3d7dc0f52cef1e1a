// Compares a measured subject with its baseline, the `floor`: a program that does the minimum of the same work. Subject and
// baseline are measured alternately in pairs, so that a busy machine slows down both.

/** A limit for the ratio of a figure, or for its measured value. */
export interface Goal {
  of: "ratio" | "subject";
  /** The limit. A limit for the measured value has the figure's unit. */
  bound: number;
  is: "at most" | "at least";
}

/** A measured figure: the ratio of the subject's time, memory or rate to that of the baseline. */
export interface Figure {
  name: string;
  /** The median of the ratios of all pairs. */
  ratio: number;
  /** The median of the subject's values; `floor` is the median of the baseline's values. Both depend on the machine. */
  subject: number;
  floor: number;
  unit: "ms" | "bytes" | "MB" | "a second" | "% of a core" | "%";
  pairs: number;
  goal?: Goal;
}

/** Returns a goal for the ratio of a figure: at most `bound`. */
export function ratioAtMost(bound: number): Goal {
  return { of: "ratio", bound, is: "at most" };
}

/** Returns a goal for the measured value of a figure: at most `bound`. */
export function subjectAtMost(bound: number): Goal {
  return { of: "subject", bound, is: "at most" };
}

/** Returns true if a figure meets its goal or has none. */
export function meetsGoal(figure: Figure): boolean {
  const { goal } = figure;
  if (goal === undefined) return true;
  return goal.is === "at most" ? figure[goal.of] <= goal.bound : figure[goal.of] >= goal.bound;
}

/** Returns the duration of one call of `work` in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Runs the baseline (`floor`) and the subject alternately, after one round to warm up. Returns the figure with the ratio of
 * their times.
 */
export async function comparePaired(
  name: string,
  options: {
    floor: () => Promise<unknown>;
    subject: () => Promise<unknown>;
    pairs: number;
    goal?: Goal;
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
  return toFigure(name, {
    floors,
    subjects,
    unit: "ms",
    ...(options.goal !== undefined && { goal: options.goal }),
  });
}

/** Returns the figure for measured pairs: the n-th value of `floors` belongs to the n-th of `subjects`. */
export function toFigure(
  name: string,
  { floors, subjects, unit, goal }: {
    floors: readonly number[];
    subjects: readonly number[];
    unit: Figure["unit"];
    goal?: Goal;
  },
): Figure {
  return {
    name,
    ratio: median(subjects.map((one, pair) => one / (floors[pair] ?? one))),
    subject: median(subjects),
    floor: median(floors),
    unit,
    pairs: subjects.length,
    ...(goal !== undefined && { goal }),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** Returns the value that the fraction `part` of the values does not exceed, for example 0.99. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? median(values);
}
