// Tests the errors of startGroup(), and signals to a group that has ended.
import assert from "node:assert/strict";
import { startGroup } from "../../../../runtime/tools/processes/start_group.ts";
import { ToolFailure } from "../../../../runtime/tools/failures/tool_failure.ts";
import { withTempDir } from "../../../support/temp_dir.ts";

const still = { args: [], environment: { PATH: "/usr/bin:/bin" }, stdin: "null" } as const;

function refusal(program: string, cwd: string): string {
  try {
    startGroup(program, { ...still, cwd });
  } catch (error) {
    assert.ok(error instanceof ToolFailure);
    return error.message;
  }
  return assert.fail("it was started");
}

Deno.test("startGroup() reports a missing program, and a program that may not be executed", () =>
  withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/plain`, "no program", { mode: 0o600 });
    const missing = "it is not installed, or its working folder does not exist.";
    assert.equal(refusal(`${dir}/none`, dir), `Cannot start ${dir}/none: ${missing}`);
    assert.equal(refusal("sh", `${dir}/none`), `Cannot start sh: ${missing}`);
    const expected =
      `Cannot start ${dir}/plain: the operating system denies permission to execute it.`;
    assert.equal(refusal(`${dir}/plain`, dir), expected);
    // The error may be the system's or Inkling's, so only its beginning is checked.
    assert.match(refusal(dir, dir), /^Cannot start .+: .+\.$/);
    assert.match(refusal("sh", `${dir}/plain`), /^Cannot start sh: .+\.$/);
  }));

Deno.test({
  name: "startGroup() reports a missing permission flag",
  permissions: { run: [] },
  fn() {
    const expected = /^Cannot start sh: Inkling was started without --allow-run=sh; start it again/;
    assert.match(refusal("sh", "/"), expected);
  },
});

Deno.test("startGroup() ignores signals to a group that has ended", async () => {
  const { child, status, signal } = startGroup("true", { ...still, cwd: "/" });
  assert.equal((await child.output()).code, 0);
  await status;
  signal("SIGTERM");
  signal("SIGKILL");
});
