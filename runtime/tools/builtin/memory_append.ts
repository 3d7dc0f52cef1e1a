// memory_append: something more in a section of the agent's long-term memory.
import { z } from "zod";
import { defineTool } from "../define_tool.ts";
import { memoryPathOf, type MemoryWriter } from "../memory/memory_file.ts";
import { checkSectionSize, describeChange, sectionName } from "../memory/section_text.ts";
import type { ActionTool } from "../tool.ts";

/** Adds to the end of a section, or makes it. Twice would be twice in the memory, hence unsafe. */
export function createMemoryAppend(writer: MemoryWriter): ActionTool {
  return defineTool({
    name: "memory_append",
    description:
      "Adds text, on lines of its own, to the end of a section of your long-term memory, which you keep between runs. " +
      "Creates the section if it does not exist.",
    schema: z.object({
      section: sectionName.describe("The section's name; letter case does not count"),
      content: z.string().min(1, "must not be empty").describe("The text to add"),
    }),
    effect: "unsafe",
    timeoutMs: 30_000,
    worksOn: "memory",
    run: async ({ section, content }, { agent, clock, signal }) => {
      const memory = await writer.change(
        memoryPathOf(agent),
        (before) =>
          before.withSection(section, checkSectionSize(before.appended(section, content), section)),
        { clock, signal },
      );
      return describeChange("Added to the section", memory, section);
    },
  });
}
