// Tests of the real paths of existing and missing files.
import assert from "node:assert/strict";
import { knownRealPath } from "../../../base/files/known_real_path.ts";
import { withTempDir } from "../../support/temp_dir.ts";

Deno.test("knownRealPath() follows links and appends names that do not exist", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/real/inner`, { recursive: true });
    await Deno.symlink(`${dir}/real`, `${dir}/link`);
    assert.equal(knownRealPath(`${dir}/real`), `${dir}/real`);
    assert.equal(knownRealPath(`${dir}/link`), `${dir}/real`);
    assert.equal(knownRealPath(`${dir}/link/inner`), `${dir}/real/inner`);
    assert.equal(knownRealPath(`${dir}/link/a/b.md`), `${dir}/real/a/b.md`);
  });
});

Deno.test("knownRealPath() resolves the existing part of paths through files and broken links", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/real`);
    await Deno.writeTextFile(`${dir}/real/a.txt`, "");
    await Deno.symlink("gone", `${dir}/real/dangling`);
    await Deno.symlink("loop", `${dir}/real/loop`);
    await Deno.symlink(`${dir}/real`, `${dir}/link`);
    for (const name of ["a.txt/b", "dangling", "loop", "loop/b"]) {
      assert.equal(knownRealPath(`${dir}/link/${name}`), `${dir}/real/${name}`);
    }
  });
});

Deno.test({
  name: "knownRealPath() returns a path unchanged if Deno's flags deny reading it",
  permissions: { read: [] },
  fn() {
    assert.equal(knownRealPath("/some/place"), "/some/place");
    assert.equal(knownRealPath("/"), "/");
  },
});
