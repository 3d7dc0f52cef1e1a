// file_delete: what it removes, and what it never does.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileDelete } from "../../../../runtime/tools/builtin/file_delete.ts";
import { call, failureOf, namesIn, testInWorkspace as test } from "../files/sandbox_fixture.ts";

test("file_delete removes files and links, never folders", async (fixture, context) => {
  await fixture.write("notes/a.md", "a");
  await Deno.symlink("notes/a.md", join(fixture.workspace, "link.md"));
  await Deno.symlink("nowhere", join(fixture.workspace, "dangling.md"));
  await Deno.symlink(join(fixture.outside, "secret.txt"), join(fixture.workspace, "out.md"));
  assert.equal(await call(fileDelete, { path: "link.md" }, context), "Deleted link.md");
  assert.equal(await fixture.read("notes/a.md"), "a");
  assert.equal(await call(fileDelete, { path: "dangling.md" }, context), "Deleted dangling.md");
  const message = await failureOf(call(fileDelete, { path: "out.md" }, context));
  assert.match(message, /outside the allowed paths/);
  assert.match(await failureOf(call(fileDelete, { path: "notes" }, context)), /it is a folder/);
  const sentence = await failureOf(call(fileDelete, { path: "no.md" }, context));
  assert.equal(sentence, 'Cannot delete "no.md": it does not exist.');
  assert.equal(await call(fileDelete, { path: "notes/a.md" }, context), "Deleted notes/a.md");
  assert.deepEqual(await namesIn(join(fixture.workspace, "notes")), []);
  assert.equal(fileDelete.effect(fileDelete.check({ path: "a" })), "unsafe");
});
