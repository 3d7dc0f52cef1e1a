// Measuring: each figure as a ratio to a floor, in pairs taken one after the other, so that a busy machine hits both.

/** What a figure should come to: its ratio to the floor, or what was measured itself. */
export interface Goal {
  of: "ratio" | "subject";
  /** The bound, in the figure's unit where it is the subject's. */
  bound: number;
  is: "at most" | "at least";
}

/** A figure: how often the floor's time, room or rate the subject took. */
export interface Figure {
  name: string;
  /** Median of the paired ratios. */
  ratio: number;
  /** Medians of the two, for orientation only. */
  subject: number;
  floor: number;
  unit: "ms" | "bytes" | "MB" | "a second" | "% of a core" | "%";
  pairs: number;
  goal?: Goal;
}

/** A bound for the ratio. */
export function ratioAtMost(bound: number): Goal {
  return { of: "ratio", bound, is: "at most" };
}

/** A bound for what was measured itself. */
export function subjectAtMost(bound: number): Goal {
  return { of: "subject", bound, is: "at most" };
}

/** Whether a figure comes up to its goal; one without a goal does. */
export function meetsGoal(figure: Figure): boolean {
  const { goal } = figure;
  if (goal === undefined) return true;
  return goal.is === "at most" ? figure[goal.of] <= goal.bound : figure[goal.of] >= goal.bound;
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

/** A figure out of what was measured in pairs. */
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

/** What so large a part of the values is at most; `part` is 0 to 1. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? median(values);
}
