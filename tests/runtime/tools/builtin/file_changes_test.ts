// Tests the changes and the error messages of file_delete, file_move and file_write.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileDelete } from "../../../../runtime/tools/builtin/file_delete.ts";
import { fileMove } from "../../../../runtime/tools/builtin/file_move.ts";
import { fileWrite } from "../../../../runtime/tools/builtin/file_write.ts";
import {
  call,
  failureOf,
  namesIn,
  testContext,
  testInWorkspace as test,
} from "../files/sandbox_fixture.ts";

test("file_delete removes files and links, never folders", async (fixture) => {
  await fixture.write("notes/a.md", "a");
  await Deno.symlink("notes/a.md", join(fixture.workspace, "link.md"));
  await Deno.symlink("nowhere", join(fixture.workspace, "dangling.md"));
  await Deno.symlink(join(fixture.outside, "secret.txt"), join(fixture.workspace, "out.md"));
  assert.equal(await fixture.call(fileDelete, { path: "link.md" }), "Deleted link.md");
  assert.equal(await fixture.read("notes/a.md"), "a");
  assert.equal(await fixture.call(fileDelete, { path: "dangling.md" }), "Deleted dangling.md");
  const message = await failureOf(fixture.call(fileDelete, { path: "out.md" }));
  assert.match(message, /outside the allowed paths/);
  assert.match(await failureOf(fixture.call(fileDelete, { path: "notes" })), /it is a folder/);
  const sentence = await failureOf(fixture.call(fileDelete, { path: "no.md" }));
  assert.equal(sentence, 'Cannot delete "no.md": it does not exist.');
  assert.equal(await fixture.call(fileDelete, { path: "notes/a.md" }), "Deleted notes/a.md");
  assert.deepEqual(await namesIn(join(fixture.workspace, "notes")), []);
  assert.equal(fileDelete.effect(fileDelete.check({ path: "a" })), "unsafe");
});

test("file_move renames, creates folders, and never overwrites", async (fixture) => {
  await fixture.write("a.md", "a");
  await fixture.write("b.md", "b");
  await Deno.symlink("b.md", join(fixture.workspace, "link.md"));
  const failure = (source: string, destination: string) =>
    failureOf(fixture.call(fileMove, { source, destination }));
  const message = await failure("a.md", "b.md");
  assert.equal(message, 'Cannot move to "b.md": it exists already, and moving never overwrites.');
  const sentence = await failure("a.md", "notes");
  assert.equal(sentence, 'Cannot move to "notes": it is a folder. Name the file in it, too.');
  assert.match(await failure("a.md", "a.md"), /exists already/);
  assert.match(await failure("notes", "n2"), /it is a folder/);
  assert.match(await failure("link.md", "l2.md"), /it is a symbolic link; only files can be moved/);
  assert.equal(await failure("no.md", "x.md"), 'Cannot move "no.md": it does not exist.');
  assert.match(await failure("a.md", "../outside/a.md"), /outside the allowed paths/);
  assert.match(await failure("a.md", "agents/a.md"), /the agents folder is closed/);
  const text = await fixture.call(fileMove, { source: "a.md", destination: "new/deep/c.md" });
  assert.equal(text, "Moved a.md to new/deep/c.md");
  assert.equal(await fixture.read("new/deep/c.md"), "a");
  assert.equal(await fixture.read("b.md"), "b");
  const expected = [".env", "agents", "b.md", "link.md", "new", "notes"];
  assert.deepEqual(await namesIn(fixture.workspace), expected);
});

test("file_move lets exactly one of several moves to the same name succeed", async (fixture) => {
  for (let i = 0; i < 8; i++) await fixture.write(`${i}.md`, `${i}`);
  const outcomes = await Promise.allSettled(
    Array.from(
      { length: 8 },
      (_, i) => fixture.call(fileMove, { source: `${i}.md`, destination: "one.md" }),
    ),
  );
  assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  const left = (await namesIn(fixture.workspace)).filter((name) => /^\d\.md$/.test(name));
  assert.equal(left.length, 7);
  assert.ok(!left.includes(`${await fixture.read("one.md")}.md`));
});

test("file_write creates and replaces files, and keeps their mode", async (fixture) => {
  const text = await fixture.call(fileWrite, { path: "new/deep/a.md", content: "one\ntwo\n" });
  assert.equal(text, "Created new/deep/a.md (8 chars, 2 lines)");
  const path = join(fixture.workspace, "new/deep/a.md");
  await Deno.chmod(path, 0o640);
  const shown = await fixture.call(fileWrite, { path: "new/deep/a.md", content: "drei" });
  assert.equal(shown, "Updated new/deep/a.md (4 chars, 1 lines)");
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o640);
  assert.equal(await fixture.read("new/deep/a.md"), "drei");
  assert.deepEqual(await namesIn(join(fixture.workspace, "new/deep")), ["a.md"]);
  assert.equal(fileWrite.effect(fileWrite.check({ path: "a", content: "" })), "idempotent");
});

test("file_write reports the reason of a failure, and leaves no file behind", async (fixture) => {
  await fixture.write("fixed.txt", "stays");
  await Deno.chmod(join(fixture.workspace, "fixed.txt"), 0o444);
  const before = await namesIn(fixture.workspace);
  const failure = (path: string) => failureOf(fixture.call(fileWrite, { path, content: "x" }));
  const sentence = await failure("fixed.txt");
  assert.equal(sentence, 'Cannot write "fixed.txt": the file is marked read-only.');
  const expected = 'Cannot write "fixed.txt/x": a part of the path is a file, not a folder.';
  assert.equal(await failure("fixed.txt/x"), expected);
  assert.match(await failure("notes"), /^Cannot write "notes": it is a folder\./);
  assert.match(await failure("data.db"), /database files/);
  assert.match(await failure("../outside/new.txt"), /outside the allowed paths/);
  const aborted = testContext(fixture.sandbox(), {
    signal: AbortSignal.abort(new Error("stop")),
  });
  await assert.rejects(call(fileWrite, { path: "late.txt", content: "x" }, aborted), {
    message: "stop",
  });
  assert.deepEqual(await namesIn(fixture.workspace), before);
  assert.equal(await fixture.read("fixed.txt"), "stays");
});

test("file_write replaces the target of a symlink", async (fixture) => {
  await fixture.write("notes/real.md", "old");
  await Deno.symlink("notes/real.md", join(fixture.workspace, "link.md"));
  assert.equal(
    await call(fileWrite, { path: "link.md", content: "new" }, testContext(fixture.sandbox())),
    "Updated notes/real.md (3 chars, 1 lines)",
  );
  assert.equal(await fixture.read("notes/real.md"), "new");
  assert.ok((await Deno.lstat(join(fixture.workspace, "link.md"))).isSymlink);
});
