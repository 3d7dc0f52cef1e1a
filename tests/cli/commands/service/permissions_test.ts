import assert from "node:assert/strict";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";

const SHELL_COMMAND = [
  "/usr/bin/deno",
  "run",
  "--allow-read=/home/me/my notes",
  "/opt/inkling/main.ts",
];

async function createCli(): Promise<FakeCli> {
  const cli = await createFakeCli();
  cli.permissions = {
    flags: [
      { flag: "--no-prompt", why: "nobody is asked" },
      { flag: "--allow-read=/home/me/my notes", why: "the workspace" },
      { flag: "--allow-env=INKLING_*", why: "Inkling's own settings" },
    ],
    remarks: ["~/a.md cannot be written"],
    command: SHELL_COMMAND,
  };
  return cli;
}

Deno.test("permissions --command prints one line that a shell runs as it is meant", async () => {
  await using cli = await createCli();
  const { permissions } = cli;
  cli.permissions = {
    ...permissions,
    command: ["printf", "[%s]", "it's $HOME & `x`", "%41", "a,b"],
  };
  assert.equal(await cli.run("permissions", "--command", "--host", "0.0.0.0", "-w", "my notes"), 0);
  assert.equal(cli.stdout.text.split("\n").length, 2);
  const { stdout } = await new Deno.Command("sh", { args: ["-c", cli.stdout.text] }).output();
  assert.equal(
    new TextDecoder().decode(stdout),
    "[it's $HOME & `x`][%41][a,b][start][--workspace][/absolute/my notes][--host][0.0.0.0]",
  );
});

Deno.test("permissions --json prints flags, remarks and the command's words", async () => {
  await using cli = await createCli();
  assert.equal(await cli.run("permissions", "--json"), 0);
  const { flags, remarks } = cli.permissions;
  const command = [...SHELL_COMMAND, "start"];
  assert.deepEqual(JSON.parse(cli.stdout.text), { flags, remarks, command });
});
