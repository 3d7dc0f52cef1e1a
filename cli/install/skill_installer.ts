// What `skill` needs of the program around it (see CliApp), as the runtime declares it.
import type { SkillInstaller as WholeInstaller } from "../../runtime/authoring/install/skill_installer.ts";

export type { BroughtSkill } from "../../runtime/authoring/install/skill_installer.ts";
/** Brings skills, to be shown before they are added. */
export type SkillInstaller = Pick<WholeInstaller, "bring">;
