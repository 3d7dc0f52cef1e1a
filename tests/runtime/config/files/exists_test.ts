import assert from "node:assert/strict";
import { exists } from "../../../../runtime/config/files/exists.ts";
import { withTempDir } from "../../../support/temp_dir.ts";

Deno.test("exists() does not treat an inaccessible path as free", () =>
  withTempDir(async (dir) => {
    await Deno.symlink("loop", `${dir}/loop`);
    await assert.rejects(exists(`${dir}/loop`), Deno.errors.FilesystemLoop);
  }));

Deno.test({
  name: "exists() rethrows refusals of Deno's flags",
  permissions: { read: [] },
  async fn() {
    await assert.rejects(exists("/some/file"), Deno.errors.NotCapable);
  },
});
