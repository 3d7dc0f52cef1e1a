// The skills of a workspace: folders with a SKILL.md. Each is read at every use, so that a change takes effect at once.
import { join } from "node:path";
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
 * The maximum size of instructions, because they become a message. Longer material belongs in other files, which are read
 * on demand.
 */
const MAX_SKILL_BYTES = 100 * 1024;

/** The name of a skill's folder in its own sandbox. */
export const SKILL_ALIAS = "skill";

/** A usable skill. */
export interface Skill extends SkillFile {
  name: string;
  /** The real path of its folder. */
  folder: string;
  /** Reaches only the folder. */
  sandbox: PathSandbox;
}

/** The directories of skills, and those that are closed to them. */
export interface SkillLibraryOptions {
  directories: Pick<Directories, "skillsDir" | "configDir" | "stateDir">;
  /** The user's home directory. */
  home: string;
}

/** Reads skills from `<skillsDir>/<name>/SKILL.md`. */
export class SkillLibrary {
  readonly #options: SkillLibraryOptions;

  constructor(options: SkillLibraryOptions) {
    this.#options = options;
  }

  /** Returns the current skill with its warnings, or its diagnostics. */
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

  /** Returns a skill of this agent. Throws ToolFailure for any other, and for one that broke during the run. */
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

/** Returns a sentence for an unusable skill: the file and its errors. */
export function describeBroken(name: string, diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(formatDiagnostic);
  return `The skill ${JSON.stringify(name)} cannot be used: ${errors.join("; ")}`;
}
