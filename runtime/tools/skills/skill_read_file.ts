// The tool skill_read_file: reads a text file from a skill's folder.
import { z } from "zod";
import { fileRead } from "../builtin/file_read.ts";
import { defineTool } from "../definition/define_tool.ts";
import type { ActionTool } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { SkillLibrary } from "./skill_library.ts";

/**
 * Creates the tool skill_read_file for the skills of a workspace. It calls file_read with a sandbox of the skill's folder.
 */
export function createSkillReadFile(library: SkillLibrary): ActionTool {
  return defineTool({
    name: "skill_read_file",
    description: "Reads a text file of one of your skills, from line `offset` on where it is long.",
    schema: z.object({
      skill_name: z.string().describe("One of your skills"),
      file_path: z.string().describe("The file, relative to the skill's folder"),
      offset: z.int().min(1).optional().describe("The first line to read, counted from 1"),
      column: z.int().min(1).optional().describe("The character of it to begin with, from 1"),
      limit: z.int().min(1).optional().describe("How many lines to read"),
    }),
    effect: "read",
    timeoutMs: fileRead.timeoutMs,
    maxResultBytes: fileRead.maxResultBytes,
    run: async ({ skill_name, file_path, ...part }, context) => {
      const { sandbox } = await library.use(skill_name, context.agent);
      refuseOutside(file_path);
      const args = fileRead.check({
        // After `./`, the names `~` and `{alias}` are ordinary file names.
        path: `./${file_path}`,
        with_line_numbers: false,
        ...part,
      });
      return await fileRead.run(args, { ...context, sandbox });
    },
  });
}

function refuseOutside(path: string): void {
  if (path.trim() === "") throw new ToolFailure("The path is empty. Name a file of the skill.");
  if (!/^[/~]/.test(path) && !path.split(/[/\\]/).includes("..")) return;
  throw new ToolFailure(
    `Cannot read ${JSON.stringify(path)}: give the path of a file in the skill's folder, ` +
      'relative to it and without "..".',
  );
}
