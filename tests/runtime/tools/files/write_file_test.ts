// Tests files that another program changes while they are open, or before they are written.
import assert from "node:assert/strict";
import { join } from "node:path";
import { openFile } from "../../../../runtime/tools/files/opened_file.ts";
import { writeFile } from "../../../../runtime/tools/files/write_file.ts";
import { failureOf, namesIn, testInWorkspace as test } from "./sandbox_fixture.ts";

test("writeFile() with a version refuses a changed or removed file", async (fixture) => {
  const sandbox = fixture.sandbox();
  const path = join(fixture.workspace, "notes/a.txt");
  const { signal } = new AbortController();
  const bytes = new TextEncoder().encode("mine");
  await fixture.write("notes/a.txt", "old");
  const { version } = await (async () => {
    await using file = await openFile(sandbox, "notes/a.txt");
    return file;
  })();
  const refused =
    'Cannot write "notes/a.txt": somebody changed it since it was read. Read it again.';
  const write = () => writeFile(sandbox, "notes/a.txt", bytes, { version, signal });
  await fixture.write("notes/a.txt", "somebody else's");
  assert.equal(await failureOf(write()), refused);
  assert.equal(await fixture.read("notes/a.txt"), "somebody else's");
  await Deno.remove(path);
  assert.equal(await failureOf(write()), refused);
  assert.deepEqual(await namesIn(join(fixture.workspace, "notes")), []);
});

test("OpenedFile.readAll() returns the remaining content of a shortened file", async (fixture) => {
  await fixture.write("a.txt", "0123456789");
  await using file = await openFile(fixture.sandbox(), "a.txt");
  await Deno.truncate(join(fixture.workspace, "a.txt"), 4);
  assert.equal(new TextDecoder().decode(await file.readAll(100)), "0123");
});
