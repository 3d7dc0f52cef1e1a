// The tool file_glob: lists files by a pattern.
import { z } from "zod";
import { defineTool } from "../definition/define_tool.ts";
import { describeGaps, firstOf, walkGlob } from "../files/glob_walk.ts";

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
  }),
  effect: "read",
  timeoutMs: 30_000,
  worksOn: "files",
  run: async ({ pattern }, { sandbox, clock, signal }) => {
    const outcome = await walkGlob(sandbox, pattern, {
      maxEntries: MAX_ENTRIES,
      maxMs: MAX_MS,
      clock,
      signal,
    });
    const { found } = outcome;
    const lines = firstOf(found.keys(), MAX_RESULTS);
    if (lines.length === 0) lines.push(`(Nothing matches ${pattern}.)`);
    if (found.size > MAX_RESULTS) {
      lines.push(
        `(${MAX_RESULTS} of ${found.size} are shown. Narrow the pattern to see the others.)`,
      );
    }
    lines.push(...describeGaps(outcome));
    return lines.join("\n");
  },
});
