import assert from "node:assert/strict";
import { createFakeCli } from "../../fake_cli.ts";

Deno.test("info says why there is no sandbox, and its consequence for shells", async () => {
  const missing = { problem: "there is none for darwin yet", remedy: "run Inkling on Linux" };
  const lineOf = async (mode: "preferred" | "required" | "off") => {
    await using cli = await createFakeCli({ isRunning: false });
    cli.report = { ...cli.report, sandbox: () => Promise.resolve({ mode, missing }) };
    assert.equal(await cli.run("info"), 0);
    return /Sandbox +(.*(?:\n +.*)*?)\n\n/.exec(cli.stdout.text)?.[1]?.replaceAll(/\s+/g, " ");
  };
  const end = "To get one, run Inkling on Linux";
  assert.equal(
    await lineOf("preferred"),
    `none (preferred): there is none for darwin yet, so each command of a shell asks. ${end}`,
  );
  assert.equal(
    await lineOf("required"),
    `none (required): there is none for darwin yet, so no agent has a shell. ${end}`,
  );
  assert.equal(await lineOf("off"), "off (set in config.yaml)");
});
