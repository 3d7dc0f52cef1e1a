// Searches the files of an agent for a pattern. Loaded at the first call of file_search.
import { Buffer } from "node:buffer";
import { basename, dirname } from "../../../base/plain_path.ts";
import { nextSlice } from "../../../base/slices.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { ToolContext } from "../definition/tool.ts";
import { PlaceChanged } from "../files/file_failure.ts";
import type { FolderHandle } from "../files/folder_handle.ts";
import { describeGaps, unlessUnreadable, walkGlob } from "../files/glob_walk.ts";
import { IgnoredEntries } from "../files/ignored_entries.ts";
import type { PathSandbox } from "../files/path_sandbox.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { LinePattern } from "./line_pattern.ts";
import { SearchHelper } from "./search_helper.ts";
import { PART_BYTES, SearchedFile } from "./searched_file.ts";
import { ShownMatches, type ShownMatchesOptions } from "./shown_matches.ts";

const MAX_ENTRIES = 100_000;
const DECODER = new TextDecoder();
/** Control characters of binary content, which the result does not contain. */
// deno-lint-ignore no-control-regex -- it finds them
const UNSHOWN = /[\0-\x08\x0b\x0c\x0e-\x1f]/g;

/** The arguments of a search, as file_search describes them. */
export interface SearchArguments extends ShownMatchesOptions {
  pattern: string;
  path?: string | undefined;
  literal: boolean;
  ignoreCase: boolean;
  /** The maximum time of the search. */
  maxMs: number;
}

/** Returns the matching lines as text for the model. Throws ToolFailure. */
export async function search(
  args: SearchArguments,
  { sandbox, redactor, clock, signal }: Pick<
    ToolContext,
    "sandbox" | "redactor" | "clock" | "signal"
  >,
): Promise<string> {
  const { path = ".", maxMs } = args;
  const pattern = await LinePattern.compile(args.pattern, args);
  const deadline = clock.now() + maxMs;
  const ignored = new IgnoredEntries(sandbox, path);
  using helper = new SearchHelper(pattern.literals);
  const walk = await walkGlob(sandbox, path, {
    maxEntries: MAX_ENTRIES,
    maxMs,
    clock,
    signal,
    passOver(folder, entries) {
      helper.count(entries.length);
      return ignored.passOver(folder, entries);
    },
  });
  const files = [...walk.found.keys()].filter((shown) => !shown.endsWith("/")).sort();
  if (files.length === 0) {
    return [`(No file to search in ${path}.)`, ...describeGaps(walk)].join("\n");
  }
  const matches = new ShownMatches(pattern, args);
  const { unread, stoppedAt } = await searchFiles(files, {
    found: walk.found,
    sandbox,
    pattern,
    matches,
    helper,
    redactor,
    mayBeBinary: files.length === 1 && basename(files[0] ?? "") === basename(path),
    isOver: () => signal.aborted || clock.now() > deadline,
  });
  signal.throwIfAborted();
  const stopped = stoppedAt === undefined
    ? walk.stopped
    : `in ${stoppedAt} after ${maxMs / 1_000} seconds`;
  return [
    ...matches.lines,
    ...describeCount(matches, args),
    ...unread === 0 ? [] : [`(${unread} files could not be read.)`],
    ...describeGaps({ stopped, hasMoved: walk.hasMoved }),
  ].join("\n");
}

function describeCount(
  { count, last }: ShownMatches,
  { offset, pattern }: SearchArguments,
): string[] {
  if (count === 0) return [`(Nothing matches ${pattern}.)`];
  if (offset > count) return [`(There are ${count} matches; offset ${offset} is after the last.)`];
  if (last === count) return [];
  return [`(Matches ${offset}-${last} of ${count} are shown. Continue with offset=${last + 1}.)`];
}

interface SearchedFiles {
  /** The real paths of the files, by their shown paths. */
  found: ReadonlyMap<string, string>;
  sandbox: PathSandbox;
  pattern: LinePattern;
  /** Gets the matches. */
  matches: ShownMatches;
  helper: SearchHelper;
  redactor: Redactor;
  /** True if binary files are searched, too: the path to search is the path of the file. */
  mayBeBinary: boolean;
  /** Returns true if the search must end early. */
  isOver(): boolean;
}

/**
 * Searches files, given by their shown paths, in this order. Returns the number of files that could not be read, and the path
 * of the file in which the search ended early.
 */
async function searchFiles(
  files: readonly string[],
  options: SearchedFiles,
): Promise<{ unread: number; stoppedAt?: string }> {
  const { found, sandbox, helper, isOver } = options;
  const paths = files.map((shown) => found.get(shown)!);
  helper.begin(paths);
  const buffer = Buffer.alloc(PART_BYTES);
  let folder: FolderHandle | undefined;
  let unread = 0;
  const openIn = async (path: string) => {
    folder?.[Symbol.dispose]();
    folder = undefined;
    return folder = await sandbox.openFolder(path, "read");
  };
  try {
    for (const [index, shown] of files.entries()) {
      if (!helper.isToSearch(index)) continue;
      try {
        const path = paths[index]!;
        const parent = dirname(path);
        // The folder stays open for its next file.
        const opened = folder?.path === parent ? folder : await openIn(parent);
        using file = new SearchedFile(opened, path, options);
        options.matches.startFile(shown);
        await searchFile(file, { ...options, buffer });
      } catch (error) {
        const isRefused = error instanceof PlaceChanged || error instanceof ToolFailure;
        if (!isRefused) unlessUnreadable(error);
        unread++;
      }
      if (isOver()) return { unread, stoppedAt: shown };
    }
  } finally {
    folder?.[Symbol.dispose]();
  }
  return { unread };
}

/** Searches one file until its end, or until the search is over. */
async function searchFile(
  file: SearchedFile,
  { pattern, matches, redactor, mayBeBinary, isOver, buffer }: SearchedFiles & { buffer: Buffer },
): Promise<void> {
  let isProven = false;
  for (const part of file.parts(buffer)) {
    const turn = nextSlice();
    if (turn !== undefined) {
      await turn;
      if (isOver()) return;
    }
    const hasMatch = pattern.isIn(part.bytes);
    if (!hasMatch && (part.isWhole || !matches.needsEveryPart)) continue;
    // The checks are made only for a part that is used, because they take longer than a search without a match.
    if (!isProven && !file.isUsable()) return;
    isProven = true;
    const found = redactor.redact(DECODER.decode(part.bytes));
    const text = mayBeBinary ? found.replaceAll(UNSHOWN, "\ufffd") : found;
    matches.addPart(text, {
      line: file.lineAt(part.at),
      matching: hasMatch ? pattern.linesOf(text) : [],
      endsLine: part.endsLine,
    });
  }
}
