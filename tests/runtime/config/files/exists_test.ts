import assert from "node:assert/strict";
import { exists } from "../../../../runtime/config/files/exists.ts";
import { withTempDir } from "../../../support/temp_dir.ts";

Deno.test("exists() does not take a path that cannot be looked up for a free one", () =>
  withTempDir(async (dir) => {
    await Deno.symlink("loop", `${dir}/loop`);
    await assert.rejects(exists(`${dir}/loop`), Deno.errors.FilesystemLoop);
  }));

Deno.test({
  name: "exists() passes on what Deno's flags refuse",
  permissions: { read: [] },
  async fn() {
    await assert.rejects(exists("/some/file"), Deno.errors.NotCapable);
  },
});
