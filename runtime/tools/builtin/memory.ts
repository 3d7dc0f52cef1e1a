// The tools memory_save, memory_append and memory_retrieve for the sections of the agent's long-term memory.
import { z } from "zod";
import { defineTool } from "../definition/define_tool.ts";
import { changeMemory, memoryPathOf, readMemory } from "../memory/memory_file.ts";
import type { MemoryDocument, MemorySection } from "../memory/memory_document.ts";
import { RESULT_LIMIT_BYTES } from "../definition/result_text.ts";
import { countLines } from "../../../base/text/text_content.ts";
import type { ToolContext } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** The maximum size of a section in UTF-8 bytes. memory_retrieve can return a section of this size without a cut. */
export const SECTION_LIMIT_BYTES = RESULT_LIMIT_BYTES - 4 * 1024;
const MAX_NAME_CHARACTERS = 200;
const LONG_SECTION_LINES = 50;

/** The schema of a section's name: one line without control characters. Spaces around the name are removed. */
const sectionName = z.string().trim()
  .min(1, "must not be empty")
  .max(MAX_NAME_CHARACTERS, `must have at most ${MAX_NAME_CHARACTERS} characters`)
  // Not z.regex(): the pattern would be part of the JSON schema, and some providers reject patterns.
  .refine(
    (name) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name),
    "must be one line without control characters",
  );

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
  run: ({ section, content }, context) =>
    changeSection(section, () => content, { done: "Saved the section", context }),
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
  run: ({ section, content }, context) =>
    changeSection(section, (before) => before.appended(section, content), {
      done: "Added to the section",
      context,
    }),
});

/**
 * Replaces the content of a section, or creates it. Returns the result for the model: the section's new size, and for a long
 * section the advice to condense it.
 */
async function changeSection(
  name: string,
  contentAfter: (before: MemoryDocument) => string,
  { done, context: { agent, clock, signal } }: { done: string; context: ToolContext },
): Promise<string> {
  const memory = await changeMemory(
    memoryPathOf(agent),
    (before) => before.withSection(name, checkSize(contentAfter(before), name)),
    { clock, signal },
  );
  const section = memory.section(name)!;
  const result = `${done} "${section.name}" (now ${describeSize(section)}).`;
  return countLines(section.content) <= LONG_SECTION_LINES ? result : `${result} ` +
    `It is long: condense it with memory_save to what still matters, in at most ${LONG_SECTION_LINES} lines.`;
}

/** Returns the content unchanged. Throws ToolFailure if it exceeds SECTION_LIMIT_BYTES. */
function checkSize(content: string, name: string): string {
  const bytes = new TextEncoder().encode(content).length;
  if (bytes <= SECTION_LIMIT_BYTES) return content;
  throw new ToolFailure(
    `The section "${name}" would have ${Math.ceil(bytes / 1024)} KB; a section may have ${
      SECTION_LIMIT_BYTES / 1024
    } KB. Nothing was changed. Condense it, or use several sections.`,
  );
}

/** Returns the length of a section as a text such as `12 lines, 480 characters`. */
function describeSize({ content }: MemorySection): string {
  const lines = countLines(content);
  return `${lines} ${lines === 1 ? "line" : "lines"}, ${content.length} characters`;
}

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
