// Formats a skill's instructions in a conversation with tags, and the line that replaces them in later runs.

const CONTEXT_NAME = /^<skill-context name="([^"<>]*)">/;
/** Matches the beginning of each text that could be read as a skill tag. */
const TAG_BEGIN = /<(?=\s*\/?\s*skill-(?:context|breadcrumb)(?![\w-]))/gi;

/**
 * Returns the instructions between skill tags. Skill tags inside the instructions are escaped, so that they cannot end the
 * instructions.
 */
export function wrapSkillContext(name: string, instructions: string): string {
  const inner = instructions.replaceAll(TAG_BEGIN, "&lt;");
  return `<skill-context name="${name}">\n${inner}\n</skill-context>`;
}

/**
 * Returns the line that replaces a skill's instructions in later runs. Returns undefined if `content` is not a skill's
 * instructions.
 */
export function toSkillBreadcrumb(content: string): string | undefined {
  const name = CONTEXT_NAME.exec(content)?.[1];
  if (name === undefined) return undefined;
  return `<skill-breadcrumb name="${name}">Used in an earlier run; its instructions are gone. ` +
    "Call skill_use again to have them.</skill-breadcrumb>";
}
