// The tool file_search: finds the lines of files that match a pattern.
import { z } from "zod";
import { lazyModule } from "../../../base/lazy_module.ts";
import { defineTool } from "../definition/define_tool.ts";

const MAX_MATCHES = 200;
/** The maximum size of the shown lines in UTF-8 bytes. */
const MAX_SHOWN_BYTES = 64 * 1024;
/** The size reserved for the lines that explain how to continue. */
const NOTES_BYTES = 16 * 1024;
const MAX_CONTEXT_LINES = 10;
const MAX_MS = 20_000;
const loadSearch = lazyModule(() => import("../search/search.ts"));

/** Finds the lines of files that match a pattern. */
export const fileSearch = defineTool({
  name: "file_search",
  description:
    "Finds lines: `path:line: text`. Passes over binary files, .git, node_modules and names in .gitignore, unless `path` " +
    "names them.",
  schema: z.object({
    pattern: z.string().min(1).describe("A regular expression for one line; no lookaround"),
    path: z.string().optional().describe("File, folder or glob; default: all"),
    literal: z.boolean().optional().describe("pattern is plain text"),
    ignore_case: z.boolean().optional(),
    context: z.int().min(0).max(MAX_CONTEXT_LINES).optional().describe("Lines around a match"),
    offset: z.int().min(1).optional().describe("First match to show"),
  }),
  effect: "read",
  timeoutMs: 30_000,
  maxResultBytes: MAX_SHOWN_BYTES + NOTES_BYTES,
  worksOn: "files",
  run: async (
    { literal = false, ignore_case = false, context: lines = 0, offset = 1, ...args },
    context,
  ) => {
    const { search } = await loadSearch();
    return await search({
      ...args,
      literal,
      ignoreCase: ignore_case,
      context: lines,
      offset,
      maxMatches: MAX_MATCHES,
      maxBytes: MAX_SHOWN_BYTES,
      maxMs: MAX_MS,
    }, context);
  },
});
