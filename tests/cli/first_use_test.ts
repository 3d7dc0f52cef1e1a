import assert from "node:assert/strict";
import { createFakeCli } from "./fake_cli.ts";
import { picturesOf } from "./picture.ts";

const shows = picturesOf(import.meta.url);

Deno.test("run and chat lead to setup instead of failing later, and start nothing; list says where to begin", async (t) => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.isSetUp = false;
  for (const line of ["run hello", "chat hello", "list --json", "list -q", "info -q"]) {
    await shows(t, cli, ...line.split(" "));
  }
  assert.deepEqual(cli.spawned, []);
});

Deno.test("inkling alone shows the help; where nothing is set up, at most twelve lines of what to do", async () => {
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
