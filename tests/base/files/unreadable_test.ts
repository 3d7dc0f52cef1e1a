import assert from "node:assert/strict";
import { isFileFailure, unreadableReason } from "../../../base/files/unreadable.ts";
import { withTempDir } from "../../support/temp_dir.ts";

async function failureOf(path: string): Promise<unknown> {
  return await Deno.readTextFile(path).then(
    () => assert.fail("it can be read"),
    (error: unknown) => error,
  );
}

Deno.test("unreadableReason() describes errors of the file system", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/a.txt`, "");
    await Deno.symlink("loop", `${dir}/loop`);
    const reason = async (path: string) => unreadableReason(await failureOf(path));
    assert.equal(await reason(dir), "it is a folder");
    assert.equal(await reason(`${dir}/a.txt/b.txt`), "a file stands where a folder should");
    assert.equal(await reason(`${dir}/loop`), "its links lead in a circle");
    // The message is the operating system's own.
    assert.match(await reason(`${dir}/${"x".repeat(300)}`), /name too long/i);
  });
  assert.equal(unreadableReason(new Deno.errors.PermissionDenied()), "it is not permitted");
});

Deno.test({
  name: "unreadableReason() names the missing flag",
  permissions: { read: [] },
  async fn() {
    assert.match(
      unreadableReason(await failureOf("/some/file")),
      /^Inkling was started without --allow-read=\/some\/file; start it again with the flags/,
    );
  },
});

Deno.test("unreadableReason() rethrows errors that are bugs", () => {
  const bug = new TypeError("x is not a function");
  assert.throws(() => unreadableReason(bug), bug);
  assert.equal(isFileFailure(bug), false);
});
