// file_delete: one file less.
import { z } from "zod";
import { defineTool } from "../define_tool.ts";
import { removeFile } from "../files/remove_file.ts";

/** Deletes one file; of a symlink the link itself. */
export const fileDelete = defineTool({
  name: "file_delete",
  description: "Deletes one file. Folders cannot be deleted.",
  schema: z.object({
    path: z.string().describe("The file: relative to the workspace, or {alias}/..."),
  }),
  effect: "unsafe",
  timeoutMs: 30_000,
  worksOn: "files",
  run: async ({ path }, { sandbox }) => `Deleted ${await removeFile(sandbox, path)}`,
});
