// The scale of a chart: round values that a person can read heights off.

/** Steps between the base and the top, at most. */
const MOST_STEPS = 4;
const ROUND = [1, 2, 2.5, 5, 10];

/** `[0, 5, 10, 15]`: from 0 to `highest` or the next round value above it, in steps of `smallest` or more. */
export function toTicks(highest: number, smallest = 0): number[] {
  const rough = highest / MOST_STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = ROUND.map((one) => one * power).find((one) => one >= rough * (1 - 1e-9));
  const step = Math.max(round ?? 10 * power, smallest);
  const steps = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}
