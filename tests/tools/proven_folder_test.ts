import assert from "node:assert/strict";
import { PlaceChanged } from "../../runtime/tools/place_changed.ts";
import { makeFolders, proveFolder } from "../../runtime/tools/proven_folder.ts";
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

Deno.test("proveFolder() takes a folder for what its real path says, and for nothing else", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/real/inner`, { recursive: true });
    await proveFolder(`${dir}/real/inner`);
    await Deno.symlink(`${dir}/real`, `${dir}/link`);
    await assert.rejects(proveFolder(`${dir}/link/inner`), PlaceChanged);
    await assert.rejects(proveFolder(`${dir}/link`), codeOf("ENOTDIR"));
    await assert.rejects(proveFolder(`${dir}/gone`), codeOf("ENOENT"));
  });
});
