// The tags around a skill's instructions in a conversation, and what is left of them in a later run.

const CONTEXT_NAME = /^<skill-context name="([^"<>]*)">/;
/** Anything that a reader could take for one of our tags. */
const TAG_BEGIN = /<(?=\s*\/?\s*skill-(?:context|breadcrumb)(?![\w-]))/gi;

/** Instructions between their tags. What looks like one of these tags inside is defused: only ours open and close. */
export function wrapSkillContext(name: string, instructions: string): string {
  const inner = instructions.replaceAll(TAG_BEGIN, "&lt;");
  return `<skill-context name="${name}">\n${inner}\n</skill-context>`;
}

/** The short line that stands for a skill's instructions in later runs, or undefined when a text is no such instructions. */
export function toSkillBreadcrumb(content: string): string | undefined {
  const name = CONTEXT_NAME.exec(content)?.[1];
  if (name === undefined) return undefined;
  return `<skill-breadcrumb name="${name}">Used in an earlier run; its instructions are gone. ` +
    "Call skill_use again to have them.</skill-breadcrumb>";
}
