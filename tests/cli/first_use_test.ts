import assert from "node:assert/strict";
import { createFakeCli } from "./fake_cli.ts";
import { picturesOf } from "./picture.ts";

const shows = picturesOf(import.meta.url);

Deno.test("run, chat and list before the setup print the next commands and start nothing", async (t) => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.isSetUp = false;
  for (const line of ["run hello", "chat hello", "list --json", "list -q", "info -q"]) {
    await shows(t, cli, ...line.split(" "));
  }
  assert.deepEqual(cli.spawned, []);
});

Deno.test("inkling without a command prints the help, or the first commands before the setup", async () => {
  for (const columns of [60, 80, 120]) {
    await using cli = await createFakeCli({ isTerminal: true, columns });
    assert.equal(await cli.run(), 0);
    assert.match(cli.stdout.text, /^Usage: /);
    cli.stdout.text = "";
    cli.isSetUp = false;
    assert.equal(await cli.run(), 0);
    const lines = cli.stdout.text.trimEnd().split("\n");
    assert.ok(lines.length <= 12, cli.stdout.text);
    assert.match(cli.stdout.text, /inkling setup .*\n.*inkling run hello/);
    for (const line of lines) assert.ok(line.length <= columns, line);
  }
});
