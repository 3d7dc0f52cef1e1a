// What `skill` needs of the program around it (see CliApp), as the runtime declares it.
import type { SkillInstaller as WholeInstaller } from "../../ops/install/skill_installer.ts";

export type { ListedSkill, PreparedSkill } from "../../ops/install/skill_installer.ts";
/** The skills of a workspace: brought, to be shown before they are added; listed; removed. */
export type SkillInstaller = Pick<WholeInstaller, "prepare" | "list" | "remove">;
