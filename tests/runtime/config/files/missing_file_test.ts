import assert from "node:assert/strict";
import { join } from "node:path";
import { isStillMissing, rememberMissing } from "../../../../runtime/config/files/missing_file.ts";
import { age, withTempDir } from "../../../support/temp_dir.ts";

Deno.test("isStillMissing() notices a created file, or a created folder above it", () =>
  withTempDir(async (root) => {
    const file = join(root, "a", "b", ".env");
    await age(root);
    const missing = rememberMissing(file);
    assert.ok(missing);
    assert.equal(missing.folder, root);
    assert.equal(isStillMissing(missing), true);
    await Deno.mkdir(join(root, "a", "b"), { recursive: true });
    assert.equal(isStillMissing(missing), false);
    await age(join(root, "a", "b"));
    const closer = rememberMissing(file);
    assert.equal(closer?.folder, join(root, "a", "b"));
    await Deno.writeTextFile(file, "A=1\n");
    assert.equal(isStillMissing(closer), false);
  }));

Deno.test("rememberMissing() returns undefined for a folder that just changed", () =>
  withTempDir(async (root) => {
    // The file system may store times in whole seconds.
    const second = Math.round(Date.now() / 1_000);
    await Deno.utime(root, second, second);
    assert.equal(rememberMissing(join(root, ".env")), undefined);
  }));

Deno.test("isStillMissing() returns false after the folder of the missing file was removed", () =>
  withTempDir(async (root) => {
    const folder = join(root, "config");
    await Deno.mkdir(folder);
    await age(folder);
    const missing = rememberMissing(join(folder, ".env"));
    assert.ok(missing);
    await Deno.remove(folder);
    assert.equal(isStillMissing(missing), false);
  }));

Deno.test("rememberMissing() returns undefined for a link without a target", () =>
  withTempDir(async (root) => {
    const [home, away] = [join(root, "home"), join(root, "away")];
    await Deno.mkdir(home);
    await Deno.symlink(join(away, "keys"), join(home, ".env"));
    await Deno.symlink(away, join(home, "linked"));
    await age(home);
    assert.equal(rememberMissing(join(home, ".env")), undefined);
    assert.equal(rememberMissing(join(home, "linked", ".env")), undefined);
  }));
