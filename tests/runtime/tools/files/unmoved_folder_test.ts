import assert from "node:assert/strict";
import { PlaceChanged } from "../../../../runtime/tools/files/file_failure.ts";
import { isUnmoved, waitUntilUnmoved } from "../../../../runtime/tools/files/unmoved_folder.ts";
import { codeOf, inCalmFolder, shareCalmFolder } from "./held_entries.ts";

shareCalmFolder();

/** The age of a folder that has certainly not moved, in milliseconds. */
const AGO_MS = 5_000;

Deno.test("waitUntilUnmoved() accepts only a folder at its real path", () =>
  inCalmFolder(async (dir) => {
    await Deno.mkdir(`${dir}/real/inner`, { recursive: true });
    await waitUntilUnmoved(`${dir}/real/inner`);
    await Deno.symlink(`${dir}/real`, `${dir}/link`);
    await assert.rejects(waitUntilUnmoved(`${dir}/link/inner`), PlaceChanged);
    await assert.rejects(waitUntilUnmoved(`${dir}/link`), PlaceChanged);
    await assert.rejects(waitUntilUnmoved(`${dir}/gone`), codeOf("ENOENT"));
    await Deno.writeTextFile(`${dir}/file`, "");
    await assert.rejects(waitUntilUnmoved(`${dir}/file`), codeOf("ENOTDIR"));
  }));

Deno.test("isUnmoved() detects a folder that was swapped and restored, and ignores nearby writes", () =>
  inCalmFolder(async (dir) => {
    await Deno.mkdir(`${dir}/outer/inner/last`, { recursive: true });
    await Deno.mkdir(`${dir}/twin/outer/inner/last`, { recursive: true });
    const last = `${dir}/outer/inner/last`;
    await waitUntilUnmoved(last);
    const begin = Date.now();
    await Deno.writeTextFile(`${last}/file`, "");
    assert.equal(isUnmoved(last, begin), true);
    for (const moved of [`${dir}/outer`, `${dir}/outer/inner`, last]) {
      await waitUntilUnmoved(last);
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
