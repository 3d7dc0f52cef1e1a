// Checks the name and the size of a memory section, and formats the results of changes.
import { z } from "zod";
import { RESULT_LIMIT_BYTES } from "../definition/result_text.ts";
import { countLines } from "../../../base/text/text_content.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { MemoryDocument, MemorySection } from "./memory_document.ts";

/** The maximum size of a section in UTF-8 bytes. memory_retrieve can return a section of this size without a cut. */
export const SECTION_LIMIT_BYTES = RESULT_LIMIT_BYTES - 4 * 1024;
const MAX_NAME_CHARACTERS = 200;
const LONG_SECTION_LINES = 50;

/** The schema of a section's name: one line without control characters. Spaces around the name are removed. */
export const sectionName = z.string().trim()
  .min(1, "must not be empty")
  .max(MAX_NAME_CHARACTERS, `must have at most ${MAX_NAME_CHARACTERS} characters`)
  // Not z.regex(): the pattern would be part of the JSON schema, and some providers reject patterns.
  .refine(
    (name) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name),
    "must be one line without control characters",
  );

/** Returns the content unchanged. Throws ToolFailure if it exceeds SECTION_LIMIT_BYTES. */
export function checkSectionSize(content: string, name: string): string {
  const bytes = new TextEncoder().encode(content).length;
  if (bytes <= SECTION_LIMIT_BYTES) return content;
  throw new ToolFailure(
    `The section "${name}" would have ${Math.ceil(bytes / 1024)} KB; a section may have ${
      SECTION_LIMIT_BYTES / 1024
    } KB. Nothing was changed. Condense it, or use several sections.`,
  );
}

/** Returns the length of a section as a text such as `12 lines, 480 characters`. */
export function describeSize({ content }: MemorySection): string {
  const lines = countLines(content);
  return `${lines} ${lines === 1 ? "line" : "lines"}, ${content.length} characters`;
}

/**
 * Returns the result of a change for the model: the action, the section's new size, and for a long section the advice to
 * condense it.
 */
export function describeChange(done: string, memory: MemoryDocument, name: string): string {
  const section = memory.section(name);
  if (section === undefined) {
    throw new TypeError(`The section ${name} was changed and is not there`);
  }
  const result = `${done} "${section.name}" (now ${describeSize(section)}).`;
  return countLines(section.content) <= LONG_SECTION_LINES ? result : `${result} ` +
    `It is long: condense it with memory_save to what still matters, in at most ${LONG_SECTION_LINES} lines.`;
}
