import assert from "node:assert/strict";
import { isLocked, takeLock } from "../../../base/files/lock_file.ts";
import { withTempDir } from "../../support/temp_dir.ts";

Deno.test("isLocked() takes no lock and creates no file", async () => {
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
