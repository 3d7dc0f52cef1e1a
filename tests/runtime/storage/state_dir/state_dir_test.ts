import assert from "node:assert/strict";
import { join } from "node:path";
import { AlreadyRunning } from "../../../../runtime/storage/state_dir/instance_lock.ts";
import { IS_POSTGRES } from "../../../support/test_database.ts";
import { createTestWorkspace } from "../../../support/test_workspace.ts";

Deno.test("openRuntime() refuses a file in the place of the state directory, with the remedy", async () => {
  await using place = await createTestWorkspace();
  await Deno.writeTextFile(place.stateDir, "");
  // Reading from a remote database needs no state folder.
  const modes = IS_POSTGRES ? ["service"] as const : ["service", "read-only"] as const;
  for (const mode of modes) {
    await assert.rejects(place.open({ mode }), {
      name: "StateDirUnusable",
      message: `Cannot use the state directory ${place.stateDir}: a file is in its place. ` +
        "Set INKLING_STATE_DIR to a folder that you may write to",
    });
  }
  assert.equal(await Deno.readTextFile(place.stateDir), "");
});

Deno.test("openRuntime() makes its state directory private", async () => {
  await using place = await createTestWorkspace();
  await Deno.mkdir(place.stateDir, { mode: 0o755 });
  await using _ = await place.open();
  const { mode } = await Deno.stat(place.stateDir);
  assert.equal((mode ?? 0) & 0o777, 0o700);
});

Deno.test("a service keeps its lock and stops regularly after its PID file was removed", async () => {
  await using place = await createTestWorkspace();
  const runtime = await place.open();
  await Deno.remove(join(place.stateDir, "inkling.pid"));
  await assert.rejects(place.open(), AlreadyRunning);
  await runtime[Symbol.asyncDispose]();
  await (await place.open())[Symbol.asyncDispose]();
});
