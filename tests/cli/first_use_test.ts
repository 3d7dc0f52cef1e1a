import assert from "node:assert/strict";
import { createFakeCli } from "./fake_cli.ts";

const LINE = 'Inkling is not set up yet: "inkling setup" does it, in a minute';

Deno.test("run and chat lead to setup instead of failing later, and start nothing", async () => {
  for (const command of ["run", "chat"]) {
    await using cli = await createFakeCli({ isRunning: false });
    cli.isSetUp = false;
    assert.equal(await cli.run(command, "hello"), 1);
    assert.equal(cli.stderr.text, `Error: ${LINE}\n`);
    assert.deepEqual(cli.spawned, []);
  }
});

Deno.test("list does what it does, and says beside it where to begin; -q does not", async () => {
  await using cli = await createFakeCli();
  cli.isSetUp = false;
  assert.equal(await cli.run("list", "--json"), 0);
  assert.equal(cli.stdout.text, "[]\n");
  assert.equal(cli.stderr.text, `${LINE}\n`);
  cli.stderr.text = "";
  assert.equal(await cli.run("list", "-q"), 0);
  assert.equal(cli.stderr.text, "");
});

Deno.test("info says nothing of it: it tells what is there itself", async () => {
  await using cli = await createFakeCli();
  cli.isSetUp = false;
  assert.equal(await cli.run("info"), 0);
  assert.equal(cli.stderr.text, "");
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
