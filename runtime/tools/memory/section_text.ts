// What a model may call a section and put into it, and how much of it is told back.
import { z } from "zod";
import { RESULT_LIMIT_BYTES } from "../result_text.ts";
import { countLines } from "../text_content.ts";
import { ToolFailure } from "../tool_failure.ts";
import type { MemoryDocument, MemorySection } from "./memory_document.ts";

/** So that memory_retrieve can always show a section whole. */
export const SECTION_LIMIT_BYTES = RESULT_LIMIT_BYTES - 4 * 1024;
const MAX_NAME_CHARACTERS = 200;
const LONG_SECTION_LINES = 50;

/** The name of a section: one line without control characters, spaces around it left out. */
export const sectionName = z.string().trim()
  .min(1, "must not be empty")
  .max(MAX_NAME_CHARACTERS, `must have at most ${MAX_NAME_CHARACTERS} characters`)
  // Not a pattern: it would stand in the JSON schema, where not every provider takes one.
  .refine(
    (name) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name),
    "must be one line without control characters",
  );

/** What a section is to say, as given. Throws ToolFailure when that is too long. */
export function checkSectionSize(content: string, name: string): string {
  const bytes = new TextEncoder().encode(content).length;
  if (bytes <= SECTION_LIMIT_BYTES) return content;
  throw new ToolFailure(
    `The section "${name}" would have ${Math.ceil(bytes / 1024)} KB; a section may have ${
      SECTION_LIMIT_BYTES / 1024
    } KB. Nothing was changed. Condense it, or use several sections.`,
  );
}

/** How long a section is, as people count: `12 lines, 480 characters`. */
export function describeSize({ content }: MemorySection): string {
  const lines = countLines(content);
  return `${lines} ${lines === 1 ? "line" : "lines"}, ${content.length} characters`;
}

/** The result of a change: what was done, the section's size now, and whether it should be condensed. */
export function describeChange(done: string, memory: MemoryDocument, name: string): string {
  const section = memory.section(name);
  if (section === undefined) {
    throw new TypeError(`The section ${name} was changed and is not there`);
  }
  const result = `${done} "${section.name}" (now ${describeSize(section)}).`;
  return countLines(section.content) <= LONG_SECTION_LINES ? result : `${result} ` +
    `It is long: condense it with memory_save to what still matters, in at most ${LONG_SECTION_LINES} lines.`;
}
