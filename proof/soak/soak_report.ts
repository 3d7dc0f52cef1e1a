// The report of a soak: a line a minute, and the result.
import type { StatusCounts } from "./inspection.ts";
import type { Violation } from "./invariants/invariants.ts";
import { JUDGED_SAMPLES, type Slope } from "./memory_slope.ts";
import type { SoakOptions } from "./soak_options.ts";

/** A moment of a soak, for the progress line. */
export interface Progress extends StatusCounts {
  phase: string;
  minutes: number;
  rss: number;
  files: number;
  kills: number;
  findings: number;
}

/** The growth of memory in the steady part. */
export interface MemoryReport {
  /** The system's figure, including memory that was not released yet. */
  resident: Slope | undefined;
  /** The same right after unused memory was released; this figure is judged. */
  collected: Slope | undefined;
  /** Objects of JavaScript at that moment. */
  objects: Slope | undefined;
  /** V8's compiled code at that moment. */
  code: Slope | undefined;
  /** V8's reserved heap for objects and code, used or free. */
  heap: Slope | undefined;
  /** The C library's allocated memory at that moment. */
  allocated: Slope | undefined;
  /** The resident pages of files, mostly Deno's own program. */
  files: Slope | undefined;
  /** Resident memory at that moment, in megabytes: first, last. */
  range: [first: number, last: number] | undefined;
}

/** The result of a soak. */
export interface SoakReport {
  seed: number;
  minutes: number;
  totals: Record<string, number>;
  done: Record<string, number>;
  faults: Record<string, number>;
  kills: number;
  stops: number;
  /** Milliseconds. */
  longest: { start: number; stop: number };
  looks: number;
  removed: number;
  memory: MemoryReport | undefined;
  files: { base: number; end: number };
  violations: (Violation & { count: number })[];
}

/** Returns the progress line. */
export function describeProgress(now: Progress): string {
  return `${now.minutes.toFixed(1).padStart(5)} min  ${now.phase.padEnd(8)} done ${now.done}, ` +
    `failed ${now.failed}, running ${now.running}, waiting ${now.waiting}; ` +
    `${now.rss.toFixed(1)} MB, ${now.files} files open; ended ${now.kills} times; ` +
    `${now.findings} rules broken`;
}

/** Returns the whole report; violations come last. */
export function describeReport(report: SoakReport, { slopeLimit }: SoakOptions): string {
  const list = (counts: Record<string, number>) =>
    Object.entries(counts).map(([name, count]) => `${name} ${count}`).join(", ");
  return [
    `${report.minutes.toFixed(1)} minutes with seed ${report.seed}`,
    `Database:   ${list(report.totals)}`,
    `Actions:      ${list(report.done)}`,
    `Model:      ${list(report.faults)}`,
    `Service:    killed ${report.kills} times, stopped ${report.stops} times; looked at ${report.looks} times; ` +
    `${report.removed} executions removed as too old`,
    `Longest:    start ${Math.round(report.longest.start)} ms, stop ${
      Math.round(report.longest.stop)
    } ms`,
    ...describeMemory(report.memory, slopeLimit),
    `Open files: ${report.files.base} after the warm-up, ${report.files.end} at the end`,
    ...describeViolations(report.violations),
    report.violations.length === 0
      ? "Nothing is broken."
      : `${report.violations.length} rules are broken: deno task soak --seed ${report.seed}`,
  ].join("\n");
}

/** Returns each broken rule with the rows that break it. */
export function describeViolations(violations: SoakReport["violations"]): string[] {
  return violations.flatMap(({ invariant, rows, count }) => [
    `Broken: ${invariant} (${count})`,
    ...rows.map((row) => `  ${JSON.stringify(row)}`),
  ]);
}

function describeMemory(memory: MemoryReport | undefined, limit: number): string[] {
  if (memory === undefined) return [];
  const { collected, objects, code, heap, allocated, files, resident, range } = memory;
  const [first, last] = range ?? [];
  return [
    `Memory:     ${describeSlope(collected)} with all given back that is not used ` +
    `(${first?.toFixed(1)} to ${last?.toFixed(1)} MB); limit ${limit} MB an hour, ` +
    `judged from ${JUDGED_SAMPLES} samples on`,
    `            ${describeSlope(objects)} in objects, ${describeSlope(code)} in compiled code`,
    `            ${describeSlope(heap)} in what V8 holds for both`,
    `            ${describeSlope(allocated)} in what the C library has given out`,
    `            ${describeSlope(files)} in pages of Deno's program and other files`,
    `            ${describeSlope(resident)} with what was not given back yet`,
  ];
}

function describeSlope(slope: Slope | undefined): string {
  if (slope === undefined) return "too few samples";
  return `${slope.megabytesPerHour.toFixed(2)} ± ${slope.error.toFixed(2)} MB an hour ` +
    `(${slope.samples} samples)`;
}
