// A skill to add that lies nowhere: for commands whose words and exit codes matter.
import type { BroughtSkill } from "../../cli/install/skill_installer.ts";
import type { FakeCli } from "./fake_cli.ts";

/** Whatever source is named brings this one. */
export function offerSkill(cli: FakeCli, overrides: Partial<BroughtSkill> = {}): void {
  const skill: BroughtSkill = {
    name: "pdf",
    description: "Fills in forms and takes PDF files apart",
    pinned: "npm:@acme/skill-pdf@1.2.0 sha512-q1T4kD0eXwI8c2Vw",
    files: ["SKILL.md", "scripts/fill.py", "scripts/split.ts", "reference/forms.md"],
    bytes: 14_320,
    scripts: ["scripts/fill.py", "scripts/split.ts"],
    target: "/home/me/inkling/agents/_config/skills/pdf",
    changes: undefined,
    add: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
    ...overrides,
  };
  cli.app.openSkillInstaller = () => Promise.resolve({ bring: () => Promise.resolve(skill) });
}
