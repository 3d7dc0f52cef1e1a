// The tool file_write: creates or replaces a whole file.
import { z } from "zod";
import { nextSlice } from "../../../base/slices.ts";
import { defineTool } from "../definition/define_tool.ts";
import { readPreviewText } from "../files/preview_text.ts";
import { writeFile } from "../files/write_file.ts";
import { countLines } from "../../../base/text/text_content.ts";

/** Creates a file or replaces its whole content. Idempotent, because a second call leaves the same file. */
export const fileWrite = defineTool({
  name: "file_write",
  description:
    "Writes a whole text file: creates it, with the folders it needs, or replaces its content. To change a part of a " +
    "file use file_edit.",
  schema: z.object({
    path: z.string().describe("The file: relative to the workspace, or {alias}/..."),
    content: z.string().describe("The whole new content"),
  }),
  effect: "idempotent",
  timeoutMs: 30_000,
  worksOn: "files",
  preview: async ({ path, content }, { sandbox }) => {
    const { display, exists } = await sandbox.resolve(path, "write");
    const before = exists ? await readPreviewText(sandbox, path) : null;
    return { path: display, before, after: content };
  },
  run: async ({ path, content }, { sandbox, signal }) => {
    await nextSlice();
    const bytes = new TextEncoder().encode(content);
    const { created, display } = await writeFile(sandbox, path, bytes, { signal });
    await nextSlice();
    const size = `${content.length} chars, ${countLines(content)} lines`;
    return `${created ? "Created" : "Updated"} ${display} (${size})`;
  },
});
