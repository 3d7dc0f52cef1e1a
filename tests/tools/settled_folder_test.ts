import assert from "node:assert/strict";
import { PlaceChanged } from "../../runtime/tools/place_changed.ts";
import { isUnmoved, makeFolders, settle } from "../../runtime/tools/settled_folder.ts";
import { withTempDir } from "../support/temp_dir.ts";

const codeOf = (code: string) => (error: unknown) =>
  error instanceof Error && "code" in error && error.code === code;

Deno.test("makeFolders() makes what is missing of a path, and nothing twice", async () => {
  await withTempDir(async (dir) => {
    await Promise.all([makeFolders(`${dir}/a/b/c`), makeFolders(`${dir}/a/b/d`)]);
    await makeFolders(`${dir}/a/b/c`);
    assert.deepEqual([...Deno.readDirSync(`${dir}/a/b`)].map(({ name }) => name).sort(), [
      "c",
      "d",
    ]);
  });
});

Deno.test("makeFolders() makes nothing below a file or behind a symlink", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/file`, "");
    await assert.rejects(makeFolders(`${dir}/file/a`), codeOf("ENOTDIR"));
    await Deno.mkdir(`${dir}/outside`);
    await Deno.symlink(`${dir}/outside`, `${dir}/link`);
    await assert.rejects(makeFolders(`${dir}/link/a/b`));
    assert.deepEqual([...Deno.readDirSync(`${dir}/outside`)], []);
  });
});

/** Longer ago than a folder must have stayed where it is. */
const AGO_MS = 5_000;

Deno.test("settle() takes a folder for what its real path says, and for nothing else", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/real/inner`, { recursive: true });
    await settle(`${dir}/real/inner`);
    await Deno.symlink(`${dir}/real`, `${dir}/link`);
    await assert.rejects(settle(`${dir}/link/inner`), PlaceChanged);
    await assert.rejects(settle(`${dir}/link`), PlaceChanged);
    await assert.rejects(settle(`${dir}/gone`), codeOf("ENOENT"));
    await Deno.writeTextFile(`${dir}/file`, "");
    await assert.rejects(settle(`${dir}/file`), codeOf("ENOTDIR"));
  });
});

Deno.test("isUnmoved() tells that a folder was swapped to and fro, and takes writing beside or in it for no move", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/outer/inner/last`, { recursive: true });
    await Deno.mkdir(`${dir}/twin/outer/inner/last`, { recursive: true });
    const last = `${dir}/outer/inner/last`;
    await settle(last);
    const since = Date.now();
    await Deno.writeTextFile(`${last}/file`, "");
    assert.equal(isUnmoved(last, since), true);
    for (const moved of [`${dir}/outer`, `${dir}/outer/inner`, last]) {
      await settle(last);
      const since = Date.now();
      await Deno.rename(moved, `${dir}/away`);
      await Deno.symlink(`${dir}/twin${moved.slice(dir.length)}`, moved);
      assert.equal(isUnmoved(last, Infinity), false);
      await Deno.remove(moved);
      await Deno.rename(`${dir}/away`, moved);
      assert.equal(isUnmoved(last, since), false, moved);
      assert.equal(isUnmoved(last, since + AGO_MS), true);
    }
  });
});
