// A fake installer of skills, for tests of messages and exit codes.
import type { ListedSkill, PreparedSkill } from "../../ops/install/skill_installer.ts";
import type { FakeCli } from "./fake_cli.ts";

const FOLDER = "/home/me/inkling/agents/_config/skills";
const SKILLS: ListedSkill[] = [
  {
    name: "haiku",
    description: "",
    source: undefined,
    problem: "The skill must have a description",
    target: `${FOLDER}/haiku`,
    agents: [],
  },
  {
    name: "pdf",
    description: "Fills in forms and takes PDF files apart",
    source: "npm:@acme/skill-pdf@1.2.0 sha512-q1T4kD0eXwI8c2Vw",
    problem: undefined,
    target: `${FOLDER}/pdf`,
    agents: ["clerk", "reporter"],
  },
];

/** Lets every source return the same skill, and sets the installed skills. */
export function offerSkill(cli: FakeCli, overrides: Partial<PreparedSkill> = {}): void {
  const skill: PreparedSkill = {
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
  cli.app.openSkillInstaller = () =>
    Promise.resolve({
      prepare: () => Promise.resolve(skill),
      list: () => Promise.resolve(SKILLS),
      remove: () => Promise.resolve(),
    });
}
