// Formats the progress line of each minute and the report of a soak.
import type { StatusCounts } from "./inspection.ts";
import type { Violation } from "./invariants/invariants.ts";
import { JUDGED_SAMPLES, type Slope } from "./memory_slope.ts";
import type { SoakOptions } from "./soak_options.ts";

/** The state of a soak at one moment, for the progress line. */
export interface Progress extends StatusCounts {
  phase: string;
  minutes: number;
  rss: number;
  files: number;
  kills: number;
  /** The broken rules. */
  findings: readonly string[];
}

/** The growth of memory in the steady phase of a soak. */
export interface MemoryReport {
  /** Resident memory as the system reports it, including unused memory that was not released yet. */
  resident: Slope | undefined;
  /** Resident memory right after unused memory was released. The slope limit applies to this figure. */
  collected: Slope | undefined;
  /** V8's used heap right after a garbage collection: the objects of JavaScript. */
  objects: Slope | undefined;
  /** The code that V8 has compiled. */
  code: Slope | undefined;
  /**
   * The first and the last measurement of resident memory after a release, in megabytes; undefined without measurements.
   */
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
  /** The longest start and the longest stop of the service, in milliseconds. */
  longest: { start: number; stop: number };
  looks: number;
  removed: number;
  memory: MemoryReport | undefined;
  files: { base: number; end: number };
  violations: (Violation & { count: number })[];
}

/** Returns the line for one minute. */
export function describeProgress(now: Progress): string {
  return `${now.minutes.toFixed(1).padStart(5)} min  ${now.phase.padEnd(8)} done ${now.done}, ` +
    `failed ${now.failed}, running ${now.running}, waiting ${now.waiting}; ` +
    `${now.rss.toFixed(1)} MB, ${now.files} files open; ended ${now.kills} times; ` +
    `${now.findings.length} rules broken${now.findings.map((rule) => `\n    ${rule}`).join("")}`;
}

/** Returns the report as text. Violations are at its end. */
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

/** Returns the lines for the violations: each broken rule with the rows that break the rule. */
export function describeViolations(violations: SoakReport["violations"]): string[] {
  return violations.flatMap(({ invariant, rows, count }) => [
    `Broken: ${invariant} (${count})`,
    ...rows.map((row) => `  ${JSON.stringify(row)}`),
  ]);
}

function describeMemory(memory: MemoryReport | undefined, limit: number): string[] {
  if (memory === undefined) return [];
  const { collected, objects, code, resident, range } = memory;
  const [first, last] = range ?? [];
  return [
    `Memory:     ${describeSlope(collected)} with all given back that is not used ` +
    `(${first?.toFixed(1)} to ${last?.toFixed(1)} MB); limit ${limit} MB an hour, ` +
    `judged from ${JUDGED_SAMPLES} samples on`,
    `            ${describeSlope(objects)} in objects, ${describeSlope(code)} in compiled code`,
    `            ${describeSlope(resident)} with what was not given back yet`,
  ];
}

function describeSlope(slope: Slope | undefined): string {
  if (slope === undefined) return "too few samples";
  return `${slope.megabytesPerHour.toFixed(2)} ± ${slope.error.toFixed(2)} MB an hour ` +
    `(${slope.samples} samples)`;
}
