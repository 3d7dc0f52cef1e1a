// Real paths of places that exist, and of those that do not yet.
import assert from "node:assert/strict";
import { knownRealPath } from "../../../base/files/known_real_path.ts";
import { withTempDir } from "../../support/temp_dir.ts";

Deno.test("knownRealPath() follows links, and puts what does not exist yet behind where they lead", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/real/inner`, { recursive: true });
    await Deno.symlink(`${dir}/real`, `${dir}/link`);
    assert.equal(knownRealPath(`${dir}/real`), `${dir}/real`);
    assert.equal(knownRealPath(`${dir}/link`), `${dir}/real`);
    assert.equal(knownRealPath(`${dir}/link/inner`), `${dir}/real/inner`);
    assert.equal(knownRealPath(`${dir}/link/a/b.md`), `${dir}/real/a/b.md`);
  });
});

Deno.test("knownRealPath() tells what it can behind a file, a link to nothing and links in a circle", async () => {
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
  name: "knownRealPath() leaves a path as it is written where Deno's flags let nobody look",
  permissions: { read: [] },
  fn() {
    assert.equal(knownRealPath("/some/place"), "/some/place");
    assert.equal(knownRealPath("/"), "/");
  },
});
