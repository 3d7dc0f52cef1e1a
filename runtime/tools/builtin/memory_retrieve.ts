// memory_retrieve: what the agent remembers.
import { z } from "zod";
import { defineTool } from "../define_tool.ts";
import type { MemoryDocument } from "../memory/memory_document.ts";
import { memoryPathOf, readMemory } from "../memory/memory_file.ts";
import { describeSize, sectionName } from "../memory/section_text.ts";
import { ToolFailure } from "../tool_failure.ts";

const MAX_NAMED_SECTIONS = 50;

/** Shows one section as it was saved, or lists all of them. */
export const memoryRetrieve = defineTool({
  name: "memory_retrieve",
  description:
    "Shows a section of your long-term memory, which you keep between runs; without a section lists them all.",
  schema: z.object({
    section: sectionName.optional().describe("The section's name; letter case does not count"),
  }),
  effect: "read",
  timeoutMs: 30_000,
  worksOn: "memory",
  run: async ({ section: name }, { agent }) => {
    const memory = await readMemory(memoryPathOf(agent));
    if (name === undefined) return describeMemory(memory);
    const section = memory.section(name);
    if (section === undefined) {
      throw new ToolFailure(`There is no section "${name}". ${knownSections(memory)}`);
    }
    return section.content === "" ? `(The section "${section.name}" is empty.)` : section.content;
  },
});

function describeMemory(memory: MemoryDocument): string {
  const sections = memory.sections().map((one) => `- ${one.name} (${describeSize(one)})`);
  const preamble = memory.preamble();
  return [
    sections.length === 0 ? "The memory has no sections." : sections.join("\n"),
    ...(preamble === "" ? [] : [`Above the first section a person wrote:\n${preamble}`]),
  ].join("\n\n");
}

function knownSections(memory: MemoryDocument): string {
  const names = memory.sections().map(({ name }) => `"${name}"`);
  if (names.length === 0) return "The memory has none.";
  const more = names.length - MAX_NAMED_SECTIONS;
  return `There are: ${names.slice(0, MAX_NAMED_SECTIONS).join(", ")}${
    more > 0 ? ` and ${more} more` : ""
  }.`;
}
