import assert from "node:assert/strict";
import { join } from "node:path";
import { createFakeCli } from "../../fake_cli.ts";
import { picturesOf } from "../../picture.ts";
import { ask } from "../../waiting_execution.ts";

const shows = picturesOf(import.meta.url);

Deno.test("recap --check exits with 1 for a failed or waiting execution, and stores no time", async () => {
  await using cli = await createFakeCli();
  assert.equal(await cli.run("recap", "--check"), 0);
  assert.match(cli.stdout.text, /^Since .* \(1d 0h\)\nNothing ran\n/);
  cli.runtime.addExecution({ status: "error", error: "x" });
  await cli.clock.advance(60_000);
  assert.equal(await cli.run("recap", "--check", "--json"), 1);
  assert.equal(await cli.run("recap", "--check"), 1);
  cli.runtime.executions.clear();
  ask(cli, cli.runtime.addExecution().id);
  assert.equal(await cli.run("recap", "--check"), 1);
});

Deno.test("recap needs no state folder, and warns if it cannot store its time", async () => {
  await using cli = await createFakeCli();
  const { stateDir } = cli;
  await Deno.remove(stateDir, { recursive: true });
  assert.equal(await cli.run("recap"), 0);
  assert.equal(cli.stderr.text, "");
  await Deno.mkdir(join(stateDir, "recap_seen", "x"), { recursive: true });
  assert.equal(await cli.run("recap"), 0);
  assert.match(cli.stderr.text, /^Warning: Cannot write .*recap_seen, so the next recap/);
});

Deno.test("recap starts at the last recap, at most 7 days ago", async (t) => {
  await using cli = await createFakeCli();
  await shows(t, cli, "recap");
  await cli.clock.advance(3_600_000);
  await shows(t, cli, "recap");
  await cli.clock.advance(60_000);
  assert.equal(await cli.run("recap", "--since", "5m"), 0);
  assert.equal(await cli.run("recap", "--json"), 0);
  await cli.clock.advance(60_000);
  await shows(t, cli, "recap");
  await cli.clock.advance(30 * 86_400_000);
  await shows(t, cli, "recap");
});
