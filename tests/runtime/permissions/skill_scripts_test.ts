import assert from "node:assert/strict";
import { hasScripts } from "../../../runtime/permissions/agent_needs.ts";
import { withTempDir } from "../../support/temp_dir.ts";

Deno.test("hasScripts() finds programs in a skill's folder and its scripts folder, but not texts", () =>
  withTempDir(async (dir) => {
    const cases = ["words", "beside", "below/scripts", "folders/scripts/a.sh", "deep/scripts/a/b"];
    for (const folder of cases) await Deno.mkdir(`${dir}/${folder}`, { recursive: true });
    const rows = [
      ...["words/SKILL.md", "beside/run.sh", "below/scripts/run.py", "deep/scripts/a/b/c.ts"],
    ];
    for (const file of rows) await Deno.writeTextFile(`${dir}/${file}`, "");
    const found = async (skill: string) => await hasScripts(dir, skill);
    assert.equal(await found("words"), false);
    assert.equal(await found("folders"), false);
    assert.equal(await found("beside"), true);
    assert.equal(await found("below"), true);
    assert.equal(await found("deep"), true);
  }));

Deno.test("hasScripts() returns false for an unreadable skill", () =>
  withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/file`, "");
    await Deno.symlink("loop", `${dir}/loop`);
    for (const skill of ["missing", "file", "loop"]) {
      assert.equal(await hasScripts(dir, skill), false, skill);
    }
  }));

Deno.test({
  name: "hasScripts() reads no folder that Deno's flags refuse",
  permissions: { read: [] },
  async fn() {
    assert.equal(await hasScripts("/some", "skill"), false);
  },
});
