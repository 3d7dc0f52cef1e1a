import assert from "node:assert/strict";
import { CommandFailure } from "../../../cli/exit.ts";
import { makeStateDir, takeStartLock } from "../../../cli/service/start_lock.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const unusable = (error: unknown) =>
  error instanceof CommandFailure && error.exitCode === 3 &&
  /^Cannot use the state directory .* Set INKLING_STATE_DIR to a folder/.test(error.message);

const modeOf = (path: string) => (Deno.statSync(path).mode ?? 0) & 0o777;

Deno.test("takeStartLock() lets one starter in at a time, and the next one after it", async () => {
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

Deno.test("makeStateDir() makes a folder that is the user's alone, and takes one that is there", async () => {
  await withTempDir(async (dir) => {
    await makeStateDir(`${dir}/state`);
    await makeStateDir(`${dir}/state`);
    assert.equal(modeOf(`${dir}/state`), 0o700);
  });
});

Deno.test("a state directory that cannot be used is told with what to do", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/file`, "");
    await assert.rejects(makeStateDir(`${dir}/file/state`), unusable);
    assert.throws(() => takeStartLock(`${dir}/gone`), unusable);
  });
});
