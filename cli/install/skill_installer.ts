// The types of the skill installer that `skill` uses.
import type { SkillInstaller as WholeInstaller } from "../../ops/install/skill_installer.ts";

export type { ListedSkill, PreparedSkill } from "../../ops/install/skill_installer.ts";
/** Prepares, lists and removes the skills of a workspace. */
export type SkillInstaller = Pick<WholeInstaller, "prepare" | "list" | "remove">;
