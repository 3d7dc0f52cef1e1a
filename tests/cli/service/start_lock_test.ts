import assert from "node:assert/strict";
import { CommandFailure } from "../../../cli/context/exit.ts";
import { makeStateDir, takeStartLock } from "../../../cli/service/daemon.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const unusable = (error: unknown) =>
  error instanceof CommandFailure && error.exitCode === 3 &&
  /^Cannot use the state directory .* Set INKLING_STATE_DIR to a folder/.test(error.message);

const modeOf = (path: string) => (Deno.statSync(path).mode ?? 0) & 0o777;

Deno.test("takeStartLock() admits one starter at a time", async () => {
  await withTempDir(async (dir) => {
    await makeStateDir(`${dir}/a/state`);
    {
      using first = takeStartLock(`${dir}/a/state`);
      assert.ok(first);
      assert.equal(takeStartLock(`${dir}/a/state`), undefined);
    }
    using next = takeStartLock(`${dir}/a/state`);
    assert.ok(next);
    assert.equal(modeOf(`${dir}/a/state/start.lock`), 0o600);
  });
});

Deno.test("makeStateDir() creates a private folder, and accepts an existing one", async () => {
  await withTempDir(async (dir) => {
    await makeStateDir(`${dir}/state`);
    await makeStateDir(`${dir}/state`);
    assert.equal(modeOf(`${dir}/state`), 0o700);
  });
});

Deno.test("makeStateDir() and takeStartLock() report an unusable state folder with a remedy", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/file`, "");
    await assert.rejects(makeStateDir(`${dir}/file/state`), unusable);
    assert.throws(() => takeStartLock(`${dir}/gone`), unusable);
  });
});
