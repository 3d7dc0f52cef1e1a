// Reads the skills of a workspace, which are folders with a SKILL.md. Each use reads the skill again, so that a change
// takes effect at once.
import { join } from "../../../base/plain_path.ts";
import { describeBadName } from "../../agents/agent_id.ts";
import type { Agent } from "../../agents/agent.ts";
import type { Directories } from "../../config/directories.ts";
import { decodeText } from "../../config/files/text_file.ts";
import { type Diagnostic, errorAtStart, formatDiagnostic } from "../../../base/diagnostics.ts";
import { openFile } from "../files/opened_file.ts";
import { PathSandbox } from "../files/path_sandbox.ts";
import { realPathOf } from "../files/place.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { LOCK_NAME } from "./skill_files.ts";
import { describeLockViolation } from "./skill_lock.ts";
import { parseSkillFile, type SkillFile } from "./skill_file.ts";

/**
 * The maximum size of a SKILL.md in bytes. It is limited because the instructions become a message. Longer texts belong in
 * other files of the skill, which the agent reads when it needs them.
 */
const MAX_SKILL_BYTES = 100 * 1024;

/** The alias of the skill's folder in the skill's sandbox. */
export const SKILL_ALIAS = "skill";

/** A skill that was read without errors. */
export interface Skill extends SkillFile {
  name: string;
  /** The real path of the skill's folder. */
  folder: string;
  /** A sandbox in which only the skill's folder can be read. */
  sandbox: PathSandbox;
}

/** The directory of the skills, the directories that no skill may use, and the home directory. */
export interface SkillLibraryOptions {
  directories: Pick<Directories, "skillsDir" | "configDir" | "stateDir">;
  /** The user's home directory. */
  home: string;
}

/** The skills in `<skillsDir>/<name>/SKILL.md`. */
export class SkillLibrary {
  readonly #options: SkillLibraryOptions;

  constructor(options: SkillLibraryOptions) {
    this.#options = options;
  }

  /** Reads a skill. Returns it with its warnings, or the diagnostics that make it unusable. */
  async read(name: string): Promise<
    { skill: Skill; warnings: Diagnostic[] } | { diagnostics: Diagnostic[] }
  > {
    const { skillsDir, configDir, stateDir } = this.#options.directories;
    const path = join(skillsDir, name, "SKILL.md");
    const problem = (message: string) => ({
      diagnostics: [errorAtStart(path, message)],
    });
    const badName = describeBadName(name);
    if (badName !== undefined) return problem(`The name of a skill ${badName}`);
    try {
      const folder = realPathOf(join(skillsDir, name), name);
      if (!folder.exists || folder.dangling) return problem("The skill does not exist");
      const unlocked = await describeLockViolation(folder.path);
      if (unlocked !== undefined) {
        return { diagnostics: [errorAtStart(join(skillsDir, name, LOCK_NAME), unlocked)] };
      }
      const sandbox = new PathSandbox({
        workspace: folder.path,
        agentsDir: null,
        configDir,
        stateDir,
        paths: [{ alias: SKILL_ALIAS, path: folder.path }],
        home: this.#options.home,
      });
      await using file = await openFile(sandbox, "SKILL.md");
      const decoded = decodeText(await file.readAll(MAX_SKILL_BYTES), path);
      if ("diagnostic" in decoded) return { diagnostics: [decoded.diagnostic] };
      const parsed = parseSkillFile({ path, text: decoded.text }, name);
      if ("diagnostics" in parsed) return parsed;
      const skill = { name, folder: folder.path, sandbox, ...parsed.file };
      return { skill, warnings: parsed.warnings };
    } catch (error) {
      if (error instanceof ToolFailure) return problem(error.message);
      throw error;
    }
  }

  /** Reads a skill that the agent has. Throws ToolFailure if the agent does not have it, or it is unusable. */
  async use(name: string, agent: Pick<Agent, "skills">): Promise<Skill> {
    if (!agent.skills.includes(name)) {
      const known = agent.skills.map((one) => JSON.stringify(one)).join(", ");
      throw new ToolFailure(
        `${JSON.stringify(name)} is not one of your skills. They are: ${known}.`,
      );
    }
    const reading = await this.read(name);
    if ("skill" in reading) return reading.skill;
    throw new ToolFailure(describeBroken(name, reading.diagnostics));
  }
}

/** Returns a sentence that reports an unusable skill and its errors. */
export function describeBroken(name: string, diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(formatDiagnostic);
  return `The skill ${JSON.stringify(name)} cannot be used: ${errors.join("; ")}`;
}
