// Parses the output of Deno's reporter, and prints a line for each test file and a summary.
import { fileOfMark, type Group, groupNumber } from "./groups.ts";
import { missingPrograms } from "./optional_programs.ts";
import { REASONS_TO_BE_SLOW, SLOW_SECONDS } from "./slow_tests.ts";

/** A finished test or step. */
interface Ended {
  name: string;
  outcome: string;
  seconds: number;
}

/**
 * Matches the line of a finished test or step: the module, the name (for a step: test name and step name), the outcome, the
 * time.
 */
const ENDED =
  /^(\S+) => (.*) \.\.\. (ok|FAILED|ignored|cancelled)(?: \(due to [^)]*\))? \(([^)]*)\)$/;
/**
 * Matches the line before the tests of a module if Deno runs one module at a time; the tests' lines then lack the module.
 */
const BEGINNING = /^running \d+ tests? from (\S+)$/;
const ENDED_ALONE =
  /^\s*(.* \.\.\. (?:ok|FAILED|ignored|cancelled)(?: \(due to [^)]*\))? \([^)]*\))$/;
/** Matches the lines around a test's output, which separate it from the lines of concurrent tests. */
const OUTPUT_MARK =
  /^-{3,} (?:post-test )?output -{3,}$|(?:^| )\.\.\.-{3,} (?:post-test )?output end -{3,}$/;
const SUMMARY = /^(?:ok|FAILED) \| \d+ passed/;
const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600 };

/** A report that reads the lines of Deno's reporter. */
export interface Report {
  read(line: string): void;
  /** Prints the remaining files, the slow tests, the skipped tests and the summary. */
  finish(): void;
}

/** Starts a report on groups that run concurrently. */
export function createReport(
  { groups, print, now = () => performance.now() }: {
    groups: readonly Group[];
    print: (line: string) => void;
    now?: () => number;
  },
): Report {
  const running = groups.map(({ files }) => ({
    file: files.length === 1 ? files[0] : undefined,
    since: now(),
    /** False: the filter is a regular expression that hides the marks, so the beginning of a file is unknown. */
    isMarked: false,
    ended: [] as Ended[],
  }));
  const slow: Ended[] = [];
  let marks = 0;
  let skipped = 0;
  let summary = "";
  let only = "";

  function printFile(at: number): void {
    const group = running[at];
    if (group === undefined) return;
    const { file, ended, since, isMarked } = group;
    const count = (outcome: string) => ended.filter((one) => one.outcome === outcome).length;
    const failures = ended.filter(({ outcome }) => outcome === "FAILED" || outcome === "cancelled");
    skipped += count("ignored");
    slow.push(...ended.filter(({ seconds }) => seconds >= SLOW_SECONDS));
    if (file !== undefined && ended.length > 0) {
      const seconds = isMarked
        ? (now() - since) / 1_000
        : ended.reduce((sum, one) => sum + one.seconds, 0);
      const word = failures.length > 0 ? "FAILED" : count("ok") > 0 ? "ok" : "skipped";
      print(
        `${word.padEnd(8)}${`${ended.length}`.padStart(4)}  ${
          seconds.toFixed(1).padStart(6)
        } s  ${file}`,
      );
      for (const { name, outcome } of failures) print(`        ${outcome}: ${name}`);
    }
    Object.assign(group, { file: undefined, since: now(), ended: [], isMarked: true });
  }

  return {
    read(line) {
      if (SUMMARY.test(line)) {
        summary = line;
        return;
      }
      const [, begun] = BEGINNING.exec(line) ?? [];
      if (begun !== undefined) {
        only = begun;
        return;
      }
      const [, alone] = only === "" ? [] : ENDED_ALONE.exec(line) ?? [];
      const ended = alone === undefined ? line : `${only} => ${alone}`;
      const [, module = "", name = "", outcome = "", time = ""] = ENDED.exec(ended) ?? [];
      const at = groupNumber(module);
      const group = at === undefined ? undefined : running[at];
      if (at === undefined || group === undefined) {
        if (!OUTPUT_MARK.test(line)) print(nameGroup(line));
        return;
      }
      const file = fileOfMark(name);
      if (file !== undefined) {
        marks += 1;
        printFile(at);
        group.file = file === "" ? undefined : file;
        return;
      }
      // Steps precede their test. They are not counted, because a failed step fails its test.
      group.ended = group.ended.filter((one) => !one.name.startsWith(`${name} ... `));
      group.ended.push({ name, outcome, seconds: secondsOf(time) });
    },
    finish() {
      for (const at of running.keys()) printFile(at);
      const unexplained = slow.filter(({ name }) => !(name in REASONS_TO_BE_SLOW));
      if (unexplained.length > 0) print(`\nTests that took ${SLOW_SECONDS} s or more:`);
      for (const { name, seconds } of unexplained.sort((a, b) => b.seconds - a.seconds)) {
        print(`  ${seconds} s  ${name}`);
      }
      if (skipped > 0) {
        print(`\n${skipped === 1 ? "1 test was" : `${skipped} tests were`} skipped.`);
      }
      for (const { what, get } of skipped > 0 ? missingPrograms() : []) {
        print(`  ${what}: not installed. Debian: apt-get install ${get}`);
      }
      if (skipped > 0 && Deno.uid() !== 0) {
        print("  root, for the tests of mail and of full disks: run the suite in a container");
      }
      print("");
      print(summary.replace(/(\d+) ignored/, (_, all) => `${Number(all) - marks} skipped`));
    },
  };

  /** Replaces the group's module in a line by the test file that runs in it. */
  function nameGroup(line: string): string {
    return line.replace(/\S*\bgroup_(\d+)\.ts\b/, (module, at) => running[at]?.file ?? module);
  }
}

/** Returns the seconds of a duration such as "538µs", "14ms", "3s" or "1m2s". */
function secondsOf(time: string): number {
  return [...time.matchAll(/(\d+)(ms|s|m|h)/g)]
    .reduce((sum, [, number, unit = ""]) => sum + Number(number) * (UNITS[unit] ?? 0), 0);
}
