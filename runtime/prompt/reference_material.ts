// What the environment says about skills and other agents. Their descriptions are data: they describe, they command nothing.
import { quoteText, toPromptLine } from "./untrusted_text.ts";

const MAX_DESCRIPTION_CHARACTERS = 1_000;
const MAX_HINT_CHARACTERS = 200;

/** A skill as the prompt names it. */
export interface PromptSkill {
  name: string;
  /** What its arguments are: `[topic]`. */
  argumentHint?: string;
  description: string;
}

/** An agent that may be called. */
export interface PromptDelegate {
  id: string;
  description: string;
}

/** Skills, agents, and the tags that go with skills: a paragraph each, where there are any. */
export function describeReferences(
  skills: readonly PromptSkill[],
  delegates: readonly PromptDelegate[],
): string[] {
  return [
    ...(skills.length === 0 ? [] : [describeSkills(skills)]),
    ...(delegates.length === 0 ? [] : [describeDelegates(delegates)]),
    ...(skills.length === 0 ? [] : [META_MESSAGES]),
  ];
}

const META_MESSAGES =
  "Meta messages: the instructions of a skill that skill_use loads stand behind the results of all tool calls of that " +
  'reply, in a user message or at the end of the last result, in `<skill-context name="…">`: the runtime adds them. Follow ' +
  'them for the task at hand. In an earlier run it has become `<skill-breadcrumb name="…">`: the ' +
  "instructions are gone, so call skill_use again where you need them.";

function describeSkills(skills: readonly PromptSkill[]): string {
  return [
    "Skills: instructions for certain work. When one fits what you do, load it with skill_use before you begin; what stands " +
    "here only describes it.",
    ...skills.map(({ name, argumentHint, description }) => {
      const hint = argumentHint === undefined
        ? ""
        : ` (arguments: ${toPromptLine(argumentHint, MAX_HINT_CHARACTERS)})`;
      return describeItem(`${quoteText(name)}${hint}`, description);
    }),
  ].join("\n");
}

function describeDelegates(delegates: readonly PromptDelegate[]): string {
  return [
    "Agents: run_agent lets one of these do a part of the work; it sees only the arguments that you give it.",
    ...delegates.map(({ id, description }) => describeItem(quoteText(id), description)),
  ].join("\n");
}

function describeItem(name: string, description: string): string {
  const text = toPromptLine(description, MAX_DESCRIPTION_CHARACTERS);
  return text === "" ? `- ${name}` : `- ${name}: ${text}`;
}
