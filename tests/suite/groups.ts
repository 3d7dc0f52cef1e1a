// Groups test files by folder. A group is one module that imports its files, because loading the product for each file
// would take longer than most files' tests.
import { basename, dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { filesBelow, REPOSITORY } from "../support/repository.ts";

/** Test files that run one after the other in one thread. */
export interface Group {
  /** Paths relative to the repository, sorted. */
  files: readonly string[];
  /** Returns the name of the ignored test (the mark) that precedes a file's tests in the output. */
  markOf: (file: string) => string;
}

/** The maximum number of files of a group. Larger groups save little time, and the last one would end late. */
const LARGEST_GROUP = 24;
/** The folders with the slowest tests: their groups are smaller and start first. */
const FIRST = [
  // The tests of tests/release begin with the build of the program.
  "tests/release",
  "tests/e2e",
  "tests/proof",
  "tests/runtime/tools",
  "tests/runtime/triggers",
  "tests/runtime/storage",
  "tests/runtime/nodes",
];
const LARGEST_SLOW_GROUP = 12;
const MARK = "▸ ";

/**
 * Returns the test files in the given files and folders. Throws an Error for a path that is missing or contains no test.
 */
export function findTestFiles(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const place = resolve(path);
    const isNamed = (file: string) => file.endsWith("_test.ts") || file === place;
    let files: string[];
    try {
      files = filesBelow(place).filter(isNamed);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      throw new Error(`${path} does not exist`);
    }
    if (files.length === 0) throw new Error(`${path} contains no test file (*_test.ts)`);
    for (const file of files) found.add(relative(REPOSITORY, file));
  }
  return [...found].sort();
}

/** Puts the files of each folder into groups. */
export function groupFiles(
  files: readonly string[],
  { filter }: { filter?: string | undefined } = {},
): Group[] {
  // A text filter hides marks that do not contain its text. A regular expression can hide any mark: then each file is a
  // group.
  const isExpression = filter !== undefined && /^\/.*\/$/s.test(filter);
  const markOf = (file: string) => `${MARK}${file}${filter === undefined ? "" : ` (${filter})`}`;
  const groups: string[][] = [];
  for (const ofFolder of Map.groupBy(files, dirname).values()) {
    const isSlow = rankOf(ofFolder) < FIRST.length;
    const largest = isExpression ? 1 : isSlow ? LARGEST_SLOW_GROUP : LARGEST_GROUP;
    // Files of one room load the same modules.
    const last = groups.at(-1);
    const canJoin = last !== undefined && roomOf(last) === roomOf(ofFolder) &&
      rankOf(last) === rankOf(ofFolder) && last.length + ofFolder.length <= largest;
    if (canJoin) {
      last.push(...ofFolder);
      continue;
    }
    const parts = Math.ceil(ofFolder.length / largest);
    const size = Math.ceil(ofFolder.length / parts);
    for (let at = 0; at < ofFolder.length; at += size) groups.push(ofFolder.slice(at, at + size));
  }
  return groups.sort((a, b) => rankOf(a) - rankOf(b)).map((ofGroup) => ({
    files: ofGroup,
    markOf,
  }));
}

/** Returns the index of a group's folder in FIRST, or the length of FIRST. */
function rankOf([file = ""]: readonly string[]): number {
  const at = FIRST.findIndex((folder) => file.startsWith(`${folder}/`));
  return at < 0 ? FIRST.length : at;
}

/** Returns the top-level folder below tests/ of a group's files. */
function roomOf([file = ""]: readonly string[]): string {
  return file.split("/")[1] ?? "";
}

/** Returns the number of a group from its module's path, as Deno prints the path. */
export function groupNumber(module: string): number | undefined {
  const written = /^group_(\d+)\.ts$/.exec(basename(module))?.[1];
  return written === undefined ? undefined : Number(written);
}

/** Returns the file that a mark's name contains, or undefined for the name of a test. */
export function fileOfMark(name: string): string | undefined {
  return name.startsWith(MARK) ? name.slice(MARK.length).replace(/ \(.*/s, "") : undefined;
}

/** Writes a module for each group into a folder. Returns the modules' paths in the groups' order. */
export async function writeGroups(groups: readonly Group[], folder: string): Promise<string[]> {
  const mask = Deno.umask();
  return await Promise.all(groups.map(async ({ files, markOf }, at) => {
    const path = join(folder, `group_${at}.ts`);
    const lines = files.flatMap((file) => [
      `Deno.test.ignore(${JSON.stringify(markOf(file))}, () => {});`,
      // A file that cannot be loaded becomes a failed test; the other files still run.
      `await import(${JSON.stringify(pathToFileURL(join(REPOSITORY, file)).href)})`,
      `  .catch((error) => Deno.test(${JSON.stringify(`${file} loads`)}, () => { throw error; }));`,
    ]);
    // The groups are threads of one process with one umask. Two threads that open a socket at once would leave it at 177,
    // and every program that a test starts later would inherit that. The sockets of other processes show the real umask.
    lines.unshift(
      "const { umask } = Deno;",
      `Deno.umask = (mask) => mask === undefined ? umask() : ${mask};`,
    );
    // A last ignored test marks the end of the last file's tests.
    lines.push(`Deno.test.ignore(${JSON.stringify(markOf(""))}, () => {});`);
    await Deno.writeTextFile(path, lines.join("\n"));
    return path;
  }));
}
