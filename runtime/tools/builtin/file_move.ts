// file_move: a file under another name.
import { z } from "zod";
import { defineTool } from "../define_tool.ts";
import { moveFile } from "../files/move_file.ts";

/** Moves or renames one file; never overwrites. */
export const fileMove = defineTool({
  name: "file_move",
  description:
    "Moves or renames one file, creating the folders it needs. Fails when something is at the destination already.",
  schema: z.object({
    source: z.string().describe("The file: relative to the workspace, or {alias}/..."),
    destination: z.string().describe("Its new path, with the file name"),
  }),
  effect: "unsafe",
  timeoutMs: 60_000,
  worksOn: "files",
  run: async (args, { sandbox, signal }) => {
    const { source, destination } = await moveFile(sandbox, args, { signal });
    return `Moved ${source} to ${destination}`;
  },
});
