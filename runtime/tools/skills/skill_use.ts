// skill_use: brings a skill's instructions into the conversation.
import { z } from "zod";
import { defineTool } from "../define_tool.ts";
import { walkGlob } from "../glob_walk.ts";
import type { ToolContext } from "../tool.ts";
import { ToolFailure } from "../tool_failure.ts";
import type { ActionTool } from "../tool.ts";
import { wrapSkillContext } from "./skill_context.ts";
import { type Skill, SKILL_ALIAS, type SkillLibrary } from "./skill_library.ts";

const MAX_ARGUMENT_CHARACTERS = 20_000;
/** Arguments can stand in many places. */
const MAX_INSTRUCTION_CHARACTERS = 200_000;
const MAX_FILES_SHOWN = 50;
const MAX_ENTRIES = 2_000;
const MAX_MS = 2_000;
const PLACEHOLDER = /\$\{SKILL_DIR\}|\$ARGUMENTS\b/g;

/** The tool, over the skills of a workspace. */
export function createSkillUse(library: SkillLibrary): ActionTool {
  return defineTool({
    name: "skill_use",
    description:
      "Loads a skill: its instructions follow the result, in <skill-context>. Then follow them.",
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
        content: `The instructions of ${JSON.stringify(skill.name)} follow.\n${await describeFiles(
          skill,
          context,
        )}`,
        instructions: wrapSkillContext(skill.name, fillIn(skill, args.arguments)),
      };
    },
  });
}

/** One pass: what is filled in is never looked at again. Arguments that no placeholder takes up stand at the end. */
function fillIn(skill: Skill, args: string): string {
  let usesArguments = false;
  const text = skill.body.replaceAll(PLACEHOLDER, (placeholder) => {
    if (placeholder !== "$ARGUMENTS") return skill.folder;
    usesArguments = true;
    return args;
  });
  const whole = usesArguments || args.trim() === "" ? text : `${text}\n\nArguments:\n${args}`;
  if (whole.length <= MAX_INSTRUCTION_CHARACTERS) return whole;
  throw new ToolFailure(
    `The instructions would have ${whole.length} characters with these arguments, at most ` +
      `${MAX_INSTRUCTION_CHARACTERS} are possible. Give shorter arguments.`,
  );
}

async function describeFiles(skill: Skill, { clock, signal }: ToolContext): Promise<string> {
  const bounds = { maxEntries: MAX_ENTRIES, maxMs: MAX_MS, clock, signal };
  const { found, stopped } = await walkGlob(skill.sandbox, "**/*", bounds);
  const names = found.map((one) => one.replace(`{${SKILL_ALIAS}}/`, ""))
    .filter((name) => name !== "SKILL.md" && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name));
  if (names.length === 0) return "It has no other files.";
  const more = names.length > MAX_FILES_SHOWN || stopped !== undefined ? ["- …"] : [];
  return [
    "Its files, for skill_read_file and skill_run_script:",
    ...names.slice(0, MAX_FILES_SHOWN).map((name) => `- ${name}`),
    ...more,
  ].join("\n");
}
