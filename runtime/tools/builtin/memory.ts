// The tools memory_save, memory_append and memory_retrieve for the sections of the agent's long-term memory.
import { z } from "zod";
import { defineTool } from "../definition/define_tool.ts";
import { changeMemory, memoryPathOf, readMemory } from "../memory/memory_file.ts";
import {
  checkSectionSize,
  describeChange,
  describeSize,
  sectionName,
} from "../memory/section_text.ts";
import type { MemoryDocument } from "../memory/memory_document.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** The tool memory_save: replaces or creates a section. Idempotent, because a second call leaves the same memory. */
export const memorySave = defineTool({
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
    const memory = await changeMemory(
      memoryPathOf(agent),
      (before) => before.withSection(section, checkSectionSize(content, section)),
      { clock, signal },
    );
    return describeChange("Saved the section", memory, section);
  },
});

/** The tool memory_append: appends to a section, or creates it. Unsafe, because a second call appends the text twice. */
export const memoryAppend = defineTool({
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
    const memory = await changeMemory(
      memoryPathOf(agent),
      (before) =>
        before.withSection(section, checkSectionSize(before.appended(section, content), section)),
      { clock, signal },
    );
    return describeChange("Added to the section", memory, section);
  },
});

const MAX_NAMED_SECTIONS = 50;

/** The tool memory_retrieve: returns the content of one section, or the list of sections. */
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
  return `Its sections: ${names.slice(0, MAX_NAMED_SECTIONS).join(", ")}${
    more > 0 ? ` and ${more} more` : ""
  }.`;
}
