import assert from "node:assert/strict";
import { PlaceChanged } from "../../../../runtime/tools/files/file_failure.ts";
import { isUnmoved, settle } from "../../../../runtime/tools/files/settled_folder.ts";
import { withTempDir } from "../../../support/temp_dir.ts";

const codeOf = (code: string) => (error: unknown) =>
  error instanceof Error && "code" in error && error.code === code;

/** Longer than a folder must have stayed in its place. */
const AGO_MS = 5_000;

Deno.test("settle() accepts a folder at its real path, and nothing else", () =>
  withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/real/inner`, { recursive: true });
    await settle(`${dir}/real/inner`);
    await Deno.symlink(`${dir}/real`, `${dir}/link`);
    await assert.rejects(settle(`${dir}/link/inner`), PlaceChanged);
    await assert.rejects(settle(`${dir}/link`), PlaceChanged);
    await assert.rejects(settle(`${dir}/gone`), codeOf("ENOENT"));
    await Deno.writeTextFile(`${dir}/file`, "");
    await assert.rejects(settle(`${dir}/file`), codeOf("ENOTDIR"));
  }));

Deno.test("isUnmoved() detects a folder that was swapped to and fro, and ignores writes beside or in it", () =>
  withTempDir(async (dir) => {
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
  }));
