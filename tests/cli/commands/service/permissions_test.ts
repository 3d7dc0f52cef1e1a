import assert from "node:assert/strict";
import { createFakeCli } from "../../fake_cli.ts";

Deno.test("permissions --command prints one correctly quoted shell command", async () => {
  await using cli = await createFakeCli();
  cli.permissions = {
    ...cli.permissions,
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
