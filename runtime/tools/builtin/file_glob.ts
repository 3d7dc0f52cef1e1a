// The tool file_glob: lists files by a pattern.
import { stat } from "node:fs/promises";
import { z } from "zod";
import { defineTool } from "../definition/define_tool.ts";
import { describeGaps, firstOf, unlessUnreadable, walkGlob } from "../files/glob_walk.ts";

const MAX_RESULTS = 100;
const MAX_ENTRIES = 100_000;
const MAX_MS = 10_000;

/** Lists the files with a path that matches a pattern. */
export const fileGlob = defineTool({
  name: "file_glob",
  description:
    `Lists files whose path matches a pattern such as **/*.md, reports/*.{csv,txt} or {alias}/2026-*/*; at most ` +
    `${MAX_RESULTS}. Without ** folders are listed too, with a slash at the end. Names that begin with a dot match only ` +
    "when the pattern has the dot.",
  schema: z.object({
    pattern: z.string().describe("A glob pattern, relative to the workspace, or {alias}/..."),
    newest_first: z.boolean().optional().describe("Sort by time instead of path"),
    offset: z.int().min(1).optional().describe("The first file to list, from 1"),
  }),
  effect: "read",
  timeoutMs: 30_000,
  worksOn: "files",
  run: async ({ pattern, newest_first = false, offset = 1 }, { sandbox, clock, signal }) => {
    const outcome = await walkGlob(sandbox, pattern, {
      maxEntries: MAX_ENTRIES,
      maxMs: MAX_MS,
      clock,
      signal,
    });
    const { found } = outcome;
    const times = newest_first ? await timesOf(found, signal) : undefined;
    const compare = times &&
      ((a: string, b: string) => (times.get(b) ?? 0) - (times.get(a) ?? 0) || (a < b ? -1 : 1));
    const last = Math.min(found.size, offset - 1 + MAX_RESULTS);
    const lines = firstOf(found.keys(), { most: last, compare }).slice(offset - 1);
    if (found.size === 0) lines.push(`(Nothing matches ${pattern}.)`);
    else if (offset > found.size) {
      lines.push(`(There are ${found.size} files; offset ${offset} is after the last.)`);
    } else if (last < found.size) {
      lines.push(
        `(${offset}-${last} of ${found.size} are shown. Continue with offset=${
          last + 1
        }, or narrow the pattern.)`,
      );
    }
    lines.push(...describeGaps(outcome));
    return lines.join("\n");
  },
});

/** Returns the times at which files were changed, by their shown paths. A file that has disappeared has none. */
async function timesOf(
  found: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const [shown, path] of found) {
    signal.throwIfAborted();
    const info = await stat(path).catch(unlessUnreadable);
    if (info !== undefined) times.set(shown, info.mtimeMs);
  }
  return times;
}
