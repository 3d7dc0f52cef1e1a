// The tool skill_use: adds a skill's instructions to the conversation.
import { z } from "zod";
import { defineTool } from "../definition/define_tool.ts";
import { walkGlob } from "../files/glob_walk.ts";
import { substitute } from "../../../base/text/substitute.ts";
import type { ToolContext } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { ActionTool } from "../definition/tool.ts";
import { wrapSkillContext } from "./skill_context.ts";
import { splitShellWords } from "./shell_words.ts";
import { type Skill, SKILL_ALIAS, type SkillLibrary } from "./skill_library.ts";

const MAX_ARGUMENT_CHARACTERS = 20_000;
/**
 * The maximum length of the instructions after substitution. A limit is needed because arguments may be inserted at many
 * places.
 */
const MAX_INSTRUCTION_CHARACTERS = 200_000;
/** The maximum estimated length of the text during substitution. The estimate is checked before the text is built. */
const MAX_WORK_CHARACTERS = 50_000_000;
const MAX_FILES_SHOWN = 50;
const MAX_ENTRIES = 2_000;
const MAX_MS = 2_000;

/** Creates the tool skill_use for the skills of a workspace. */
export function createSkillUse(library: SkillLibrary): ActionTool {
  return defineTool({
    name: "skill_use",
    description:
      "Loads a skill: its instructions come after the results of all calls of this reply, in <skill-context>. Then follow them.",
    schema: z.object({
      skill_name: z.string().describe("One of your skills"),
      arguments: z.string().max(MAX_ARGUMENT_CHARACTERS).default("").describe(
        "What the skill is applied to, where it takes arguments",
      ),
    }),
    effect: "read",
    timeoutMs: 30_000,
    run: async (args, context) => {
      const skill = await library.use(args.skill_name, context.agent);
      return {
        content: `The instructions of ${
          JSON.stringify(skill.name)
        } follow after the results of these calls.\n${await describeFiles(skill, context)}`,
        instructions: wrapSkillContext(skill.name, substituteArguments(skill, args.arguments)),
      };
    },
  });
}

/**
 * Returns the skill's instructions with the arguments substituted, like the text of an agent's file. The only variable is
 * SKILL_DIR. Appends the arguments if the instructions do not use them. Throws ToolFailure if the result is too long.
 */
function substituteArguments(skill: Skill, args: string): string {
  const { body, folder } = skill;
  const most = body.length + body.split("$").length * (args.length + folder.length);
  if (most > MAX_WORK_CHARACTERS) throw tooLong("up to ", most);
  const { text, usesArguments } = substitute(body, {
    args: wordsOf(args),
    allArguments: args,
    lookup: (name) => name === "SKILL_DIR" ? folder : undefined,
    isWithheld: () => false,
  });
  const whole = usesArguments || args.trim() === "" ? text : `${text}\n\nArguments:\n${args}`;
  if (whole.length <= MAX_INSTRUCTION_CHARACTERS) return whole;
  throw tooLong("", whole.length);
}

/** Splits the arguments like a shell. Splits them at spaces if a quote is not closed. */
function wordsOf(args: string): string[] {
  try {
    return splitShellWords(args);
  } catch (error) {
    if (error instanceof ToolFailure) return args.trim().split(/\s+/);
    throw error;
  }
}

function tooLong(beginning: string, characters: number): ToolFailure {
  return new ToolFailure(
    `The instructions would have ${beginning}${characters} characters with these arguments, at most ` +
      `${MAX_INSTRUCTION_CHARACTERS} are possible. Give shorter arguments.`,
  );
}

async function describeFiles(skill: Skill, { clock, signal }: ToolContext): Promise<string> {
  const bounds = { maxEntries: MAX_ENTRIES, maxMs: MAX_MS, clock, signal };
  const { found, stopped } = await walkGlob(skill.sandbox, "**/*", bounds);
  const names = [...found.keys()].sort().map((one) => one.replace(`{${SKILL_ALIAS}}/`, ""))
    .filter((name) => name !== "SKILL.md" && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name));
  if (names.length === 0) return "It has no other files.";
  const more = names.length > MAX_FILES_SHOWN || stopped !== undefined ? ["- …"] : [];
  return [
    "Its files, for skill_read_file and skill_run_script:",
    ...names.slice(0, MAX_FILES_SHOWN).map((name) => `- ${name}`),
    ...more,
  ].join("\n");
}
