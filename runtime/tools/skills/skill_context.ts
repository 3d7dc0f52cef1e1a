// The tags around a skill's instructions in a conversation, and the line that replaces them in later runs.

const CONTEXT_NAME = /^<skill-context name="([^"<>]*)">/;
/** Any text that could be read as one of our tags. */
const TAG_BEGIN = /<(?=\s*\/?\s*skill-(?:context|breadcrumb)(?![\w-]))/gi;

/** Wraps instructions in their tags. Similar tags inside are escaped, so that only ours open and close. */
export function wrapSkillContext(name: string, instructions: string): string {
  const inner = instructions.replaceAll(TAG_BEGIN, "&lt;");
  return `<skill-context name="${name}">\n${inner}\n</skill-context>`;
}

/** Returns the short line that replaces a skill's instructions in later runs, or undefined for other texts. */
export function toSkillBreadcrumb(content: string): string | undefined {
  const name = CONTEXT_NAME.exec(content)?.[1];
  if (name === undefined) return undefined;
  return `<skill-breadcrumb name="${name}">Used in an earlier run; its instructions are gone. ` +
    "Call skill_use again to have them.</skill-breadcrumb>";
}
