// The order in which an executable is replaced.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { withTempDir } from "../../support/temp_dir.ts";
import { UpdateWorld } from "./release_server.ts";

/** A program that writes down each path under which it is started, and then answers as `answer` has it. */
const reporting = (log: string, answer: string) => `#!/bin/sh\necho "$0" >> '${log}'\n${answer}\n`;

Deno.test("update never puts a program in the place of the old one that does not start beside it", async () => {
  await withTempDir(async (dir) => {
    const log = join(dir, "started");
    for (const answer of ["exit 3", "echo 1.2.9"]) {
      await using world = await UpdateWorld.open();
      world.release("1.3.0", reporting(log, answer));
      assert.equal(await world.run(["update"]), 1);
      assert.match(world.cli.stderr.text, /Inkling 1\.3\.0 does not start here/);
      assert.equal(
        await Deno.readTextFile(log),
        `${join(world.directory, ".inkling-next-inkling")}\n`,
      );
      await Deno.remove(log);
    }
  });
});

Deno.test("update starts the new program beside the old one, and again in its place", async () => {
  await withTempDir(async (dir) => {
    const log = join(dir, "started");
    await using world = await UpdateWorld.open();
    world.release("1.3.0", reporting(log, "echo 1.3.0"));
    assert.equal(await world.run(["update"]), 0);
    assert.deepEqual((await Deno.readTextFile(log)).trim().split("\n"), [
      join(world.directory, ".inkling-next-inkling"),
      world.binary,
    ]);
  });
});

Deno.test("update lets the owner start the new program, whoever could start the old one", async () => {
  await using world = await UpdateWorld.open();
  await Deno.chmod(world.binary, 0o611);
  world.release("1.3.0", "#!/bin/sh\necho 1.3.0\n");
  assert.equal(await world.run(["update"]), 0);
  assert.equal(((await Deno.stat(world.binary)).mode ?? 0) & 0o777, 0o711);
});

Deno.test("update takes a checksum in capitals", async () => {
  await using world = await UpdateWorld.open();
  const content = "#!/bin/sh\necho 1.3.0\n";
  const sha256 = createHash("sha256").update(content).digest("hex").toUpperCase();
  world.release("1.3.0", content, { sha256 });
  assert.equal(await world.run(["update"]), 0);
  assert.equal((await world.state()).version, "1.3.0");
});
