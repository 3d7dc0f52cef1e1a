// file_write: what it makes and replaces, and what it says when it does not.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileWrite } from "../../../../runtime/tools/builtin/file_write.ts";
import {
  call,
  failureOf,
  namesIn,
  testContext,
  testInWorkspace as test,
} from "../files/sandbox_fixture.ts";

test("file_write makes, replaces, and keeps the mode", async (fixture, context) => {
  const text = await call(fileWrite, { path: "new/deep/a.md", content: "one\ntwo\n" }, context);
  assert.equal(text, "Created new/deep/a.md (8 chars, 2 lines)");
  const path = join(fixture.workspace, "new/deep/a.md");
  await Deno.chmod(path, 0o640);
  const shown = await call(fileWrite, { path: "new/deep/a.md", content: "drei" }, context);
  assert.equal(shown, "Updated new/deep/a.md (4 chars, 1 lines)");
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o640);
  assert.equal(await fixture.read("new/deep/a.md"), "drei");
  assert.deepEqual(await namesIn(join(fixture.workspace, "new/deep")), ["a.md"]);
  assert.equal(fileWrite.effect(fileWrite.check({ path: "a", content: "" })), "idempotent");
});

test("file_write says why it cannot write and leaves nothing behind", async (fixture, context) => {
  await fixture.write("fixed.txt", "stays");
  await Deno.chmod(join(fixture.workspace, "fixed.txt"), 0o444);
  const before = await namesIn(fixture.workspace);
  const failure = (path: string) => failureOf(call(fileWrite, { path, content: "x" }, context));
  const sentence = await failure("fixed.txt");
  assert.equal(sentence, 'Cannot write "fixed.txt": the file is marked read-only.');
  const expected = 'Cannot write "fixed.txt/x": a part of the path is a file, not a folder.';
  assert.equal(await failure("fixed.txt/x"), expected);
  assert.match(await failure("notes"), /^Cannot write "notes": it is a folder\./);
  assert.match(await failure("data.db"), /database files/);
  assert.match(await failure("../outside/new.txt"), /outside the allowed paths/);
  const aborted = testContext(fixture.sandbox(), { signal: AbortSignal.abort(new Error("stop")) });
  await assert.rejects(call(fileWrite, { path: "late.txt", content: "x" }, aborted), {
    message: "stop",
  });
  assert.deepEqual(await namesIn(fixture.workspace), before);
  assert.equal(await fixture.read("fixed.txt"), "stays");
});

test("file_write replaces a symlinked file at its real place", async (fixture) => {
  await fixture.write("notes/real.md", "old");
  await Deno.symlink("notes/real.md", join(fixture.workspace, "link.md"));
  assert.equal(
    await call(fileWrite, { path: "link.md", content: "new" }, testContext(fixture.sandbox())),
    "Updated notes/real.md (3 chars, 1 lines)",
  );
  assert.equal(await fixture.read("notes/real.md"), "new");
  assert.ok((await Deno.lstat(join(fixture.workspace, "link.md"))).isSymlink);
});
