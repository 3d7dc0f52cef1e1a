// Which test files share a process's module graph. Loading the product takes longer than most files' tests: files of one
// folder are imported by one module, which Deno runs as if it were a test file.
import { basename, dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { filesBelow, REPOSITORY } from "../support/repository.ts";

/** Test files that are run one after the other, in a thread of their own. */
export interface Group {
  /** Relative to the repository, sorted. */
  files: readonly string[];
  /** The name of the mark that is registered before the tests of a file. */
  markOf: (file: string) => string;
}

/** More files in a group save little, and the last group to end would end late. */
const LARGEST_GROUP = 24;
/** Folders whose tests take longest: their groups begin first, and are smaller. */
const FIRST = [
  // It begins with the build of the program.
  "tests/release",
  "tests/e2e",
  "tests/proof",
  "tests/runtime/tools",
  "tests/runtime/triggers",
];
const LARGEST_SLOW_GROUP = 12;
const MARK = "▸ ";

/** Finds the test files in files and folders. Throws Error for a path that is not there, or holds no test. */
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
  // A filter hides marks, too, unless they contain its text. An expression can hide any mark: then each file is a group.
  const isExpression = filter !== undefined && /^\/.*\/$/s.test(filter);
  const markOf = (file: string) => `${MARK}${file}${filter === undefined ? "" : ` (${filter})`}`;
  const groups: string[][] = [];
  for (const ofFolder of Map.groupBy(files, dirname).values()) {
    const isSlow = rankOf(ofFolder) < FIRST.length;
    const largest = isExpression ? 1 : isSlow ? LARGEST_SLOW_GROUP : LARGEST_GROUP;
    // Neighbors load the same modules.
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

/** The place of a group's folder in FIRST, or its length. */
function rankOf([file = ""]: readonly string[]): number {
  const at = FIRST.findIndex((folder) => file.startsWith(`${folder}/`));
  return at < 0 ? FIRST.length : at;
}

/** The part of the product that a group tests: a folder at the top. */
function roomOf([file = ""]: readonly string[]): string {
  return file.split("/")[1] ?? "";
}

/** The place of a module among the groups, by the path that Deno prints. */
export function groupNumber(module: string): number | undefined {
  const written = /^group_(\d+)\.ts$/.exec(basename(module))?.[1];
  return written === undefined ? undefined : Number(written);
}

/** The file of a mark's name, or undefined for the name of a test. */
export function fileOfMark(name: string): string | undefined {
  return name.startsWith(MARK) ? name.slice(MARK.length).replace(/ \(.*/s, "") : undefined;
}

/** Writes a module for each group into a folder. Returns what Deno is to run, in the groups' order. */
export async function writeGroups(groups: readonly Group[], folder: string): Promise<string[]> {
  return await Promise.all(groups.map(async ({ files, markOf }, at) => {
    const path = join(folder, `group_${at}.ts`);
    const lines = files.flatMap((file) => [
      `Deno.test.ignore(${JSON.stringify(markOf(file))}, () => {});`,
      // A file that cannot be loaded is a failed test, and does not keep the others from running.
      `await import(${JSON.stringify(pathToFileURL(join(REPOSITORY, file)).href)})`,
      `  .catch((error) => Deno.test(${JSON.stringify(`${file} loads`)}, () => { throw error; }));`,
    ]);
    // An ignored test marks the end of the last file's tests.
    lines.push(`Deno.test.ignore(${JSON.stringify(markOf(""))}, () => {});`);
    await Deno.writeTextFile(path, lines.join("\n"));
    return path;
  }));
}
