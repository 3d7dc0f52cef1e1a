// The tool file_glob: lists files by a pattern.
import { z } from "zod";
import { defineTool } from "../definition/define_tool.ts";
import { walkGlob } from "../files/glob_walk.ts";

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
    const { found, count, stopped, hasMoved } = await walkGlob(sandbox, pattern, {
      maxFound: MAX_RESULTS,
      maxEntries: MAX_ENTRIES,
      maxMs: MAX_MS,
      clock,
      signal,
    });
    const lines = [...found];
    if (lines.length === 0) lines.push(`(Nothing matches ${pattern}.)`);
    if (count > found.length) {
      lines.push(
        `(${found.length} of ${count} are shown. Narrow the pattern to see the others.)`,
      );
    }
    if (stopped !== undefined) {
      lines.push(
        `(The search was stopped ${stopped}: there may be more. Name a folder to search.)`,
      );
    }
    if (hasMoved) lines.push("(A folder was being moved or exchanged, and is left out.)");
    return lines.join("\n");
  },
});
