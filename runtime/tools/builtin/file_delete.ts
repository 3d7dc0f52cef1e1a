// The tool file_delete: deletes one file.
import { z } from "zod";
import { defineTool } from "../definition/define_tool.ts";
import { removeFile } from "../files/remove_file.ts";
import { PreviewUnavailable, readPreviewText } from "../files/preview_text.ts";
import { lstatIfExists } from "../files/staged_file.ts";

/** Deletes one file. If the path is a symbolic link, deletes the link and keeps its target. */
export const fileDelete = defineTool({
  name: "file_delete",
  description: "Deletes one file. Folders cannot be deleted.",
  schema: z.object({
    path: z.string().describe("The file: relative to the workspace, or {alias}/..."),
  }),
  effect: "unsafe",
  timeoutMs: 30_000,
  worksOn: "files",
  preview: async ({ path }, { sandbox }) => {
    const entry = await sandbox.resolveEntry(path);
    if ((await lstatIfExists(entry.path))?.isSymbolicLink()) {
      throw new PreviewUnavailable(
        `"${entry.display}" is a symbolic link: only the link is deleted.`,
      );
    }
    return { path: entry.display, before: await readPreviewText(sandbox, path), after: null };
  },
  run: async ({ path }, { sandbox }) => `Deleted ${await removeFile(sandbox, path)}`,
});
