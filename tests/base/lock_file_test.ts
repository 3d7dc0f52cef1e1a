import assert from "node:assert/strict";
import { isLocked, takeLock } from "../../base/lock_file.ts";
import { withTempDir } from "../support/temp_dir.ts";

Deno.test("takeLock() gives a lock to one holder at a time, and to the next one after it", async () => {
  await withTempDir((dir) => {
    const path = `${dir}/lock`;
    {
      using held = takeLock(path);
      assert.ok(held);
      assert.equal(takeLock(path), undefined);
      assert.ok(isLocked(path));
    }
    assert.equal(isLocked(path), false);
    using next = takeLock(path);
    assert.ok(next);
    assert.equal((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("isLocked() takes no lock from anybody, and makes no file", async () => {
  await withTempDir((dir) => {
    const path = `${dir}/lock`;
    assert.equal(isLocked(path), false);
    assert.deepEqual([...Deno.readDirSync(dir)], []);
    Deno.writeTextFileSync(path, "");
    assert.equal(isLocked(path), false);
    using held = takeLock(path);
    assert.ok(held);
  });
});

Deno.test("takeLock() throws where no file can be made", async () => {
  await withTempDir((dir) => {
    assert.throws(() => takeLock(`${dir}/gone/lock`), Deno.errors.NotFound);
  });
});
