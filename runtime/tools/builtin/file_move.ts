// The tool file_move: moves or renames a file.
import { z } from "zod";
import { defineTool } from "../definition/define_tool.ts";
import { moveFile } from "../files/move_file.ts";
import { lstatIfExists } from "../files/staged_file.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** Moves or renames one file. Fails if the destination exists. */
export const fileMove = defineTool({
  name: "file_move",
  description:
    "Moves or renames one file, creating the folders it needs. Fails when the destination exists already.",
  schema: z.object({
    source: z.string().describe("The file: relative to the workspace, or {alias}/..."),
    destination: z.string().describe("Its new path, with the file name"),
  }),
  effect: "unsafe",
  timeoutMs: 60_000,
  worksOn: "files",
  preview: async (args, { sandbox }) => {
    const source = await sandbox.resolveEntry(args.source);
    const destination = await sandbox.resolve(args.destination, "write");
    const info = await lstatIfExists(source.path);
    if (info === undefined) {
      throw new ToolFailure(`Cannot move "${args.source}": it does not exist.`);
    }
    if (!info.isFile()) {
      throw new ToolFailure(`Cannot move "${args.source}": it is not a file.`);
    }
    if (destination.exists) {
      throw new ToolFailure(
        `Cannot move to "${args.destination}": it exists already.`,
      );
    }
    return { path: source.display, destination: destination.display };
  },
  run: async (args, { sandbox, signal }) => {
    const { source, destination } = await moveFile(sandbox, args, { signal });
    return `Moved ${source} to ${destination}`;
  },
});
