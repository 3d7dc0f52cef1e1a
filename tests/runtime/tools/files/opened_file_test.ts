// Tests files that change while they are open, and the size limit of readAll().
import assert from "node:assert/strict";
import { join } from "node:path";
import { openFile } from "../../../../runtime/tools/files/opened_file.ts";
import { failureOf, testInWorkspace as test } from "./sandbox_fixture.ts";

test("OpenedFile.readAll() returns the remaining content of a shortened file", async (fixture) => {
  await fixture.write("a.txt", "0123456789");
  await using file = await openFile(fixture.sandbox(), "a.txt");
  await Deno.truncate(join(fixture.workspace, "a.txt"), 4);
  assert.equal(new TextDecoder().decode(await file.readAll(100)), "0123");
});

test("OpenedFile.readAll() refuses a file over the limit", async (fixture) => {
  await fixture.write("a.txt", "0123456789");
  await using file = await openFile(fixture.sandbox(), "a.txt");
  assert.equal(await failureOf(file.readAll(9)), '"a.txt" is too big: 10 bytes, at most 9.');
});
