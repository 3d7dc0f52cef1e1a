// memory_save: what a section of the agent's long-term memory says from now on.
import { z } from "zod";
import { defineTool } from "../define_tool.ts";
import { memoryPathOf, type MemoryWriter } from "../memory/memory_file.ts";
import { checkSectionSize, describeChange, sectionName } from "../memory/section_text.ts";
import type { ActionTool } from "../tool.ts";

/** Replaces a section, or makes it. The same call twice leaves the same memory, hence idempotent. */
export function createMemorySave(writer: MemoryWriter): ActionTool {
  return defineTool({
    name: "memory_save",
    description:
      "Replaces a section of your long-term memory, which you keep between runs, or creates it. To add to a section " +
      "use memory_append.",
    schema: z.object({
      section: sectionName.describe("The section's name; letter case does not count"),
      content: z.string().describe("The whole new content of the section"),
    }),
    effect: "idempotent",
    timeoutMs: 30_000,
    worksOn: "memory",
    run: async ({ section, content }, { agent, clock, signal }) => {
      const memory = await writer.change(
        memoryPathOf(agent),
        (before) => before.withSection(section, checkSectionSize(content, section)),
        { clock, signal },
      );
      return describeChange("Saved the section", memory, section);
    },
  });
}
