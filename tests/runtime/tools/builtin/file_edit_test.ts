// Tests the replacements of file_edit, the parts of a file that stay unchanged, and its error messages.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileEdit } from "../../../../runtime/tools/builtin/file_edit.ts";
import { failureOf, testInWorkspace as test } from "../files/sandbox_fixture.ts";

test("file_edit replaces unique text and keeps line endings and mode", async (fixture) => {
  await fixture.write("a.txt", "one\r\ntwo\r\nthree\r\n");
  await Deno.chmod(join(fixture.workspace, "a.txt"), 0o600);
  assert.equal(
    await fixture.call(fileEdit, { path: "a.txt", old_text: "two\nthree", new_text: "2\n3\n4" }),
    "Updated a.txt (1 replacement, line 2)",
  );
  assert.equal(await fixture.read("a.txt"), "one\r\n2\r\n3\r\n4\r\n");
  assert.equal((await Deno.stat(join(fixture.workspace, "a.txt"))).mode! & 0o777, 0o600);
  await fixture.write("b.txt", "\ufeffx y x\nx $& $1\n");
  assert.equal(
    await fixture.call(
      fileEdit,
      { path: "b.txt", old_text: "x", new_text: "$&z", replace_all: true },
    ),
    "Updated b.txt (3 replacements, lines 1, 2)",
  );
  const shown = await fixture.read("b.txt").then((text) => text.replace("\ufeff", ""));
  assert.equal(shown, "$&z y $&z\n$&z $& $1\n");
  assert.deepEqual([...(await Deno.readFile(join(fixture.workspace, "b.txt"))).slice(0, 3)], [
    0xef,
    0xbb,
    0xbf,
  ]);
});

test("file_edit reports the reason of a failure", async (fixture) => {
  await fixture.write("a.txt", "x = 1\n  y =  2\nx = 1\n");
  const failure = (old_text: string, new_text = "new", path = "a.txt") =>
    failureOf(fixture.call(fileEdit, { path, old_text, new_text }));
  const wanted =
    'old_text is in "a.txt" 2 times, at lines 1, 3. Give more of the text around the place that you mean, or set replace_all.';
  assert.equal(await failure("x = 1"), wanted);
  const expected = /^old_text is not in "a\.txt"\. It must match exactly.* Read the file again\.$/;
  assert.match(await failure("z"), expected);
  assert.match(await failure("y = 2"), /Line 2 differs from its first line in spaces only/);
  assert.match(await failure("1\tx = 1\n2\t  y =  2"), /Leave out the line numbers/);
  assert.match(await failure(""), /^old_text is empty/);
  assert.match(await failure("x", "x"), /are the same/);
  assert.match(await failure("abc", "x", "none.txt"), /it does not exist/);
  assert.equal(await fixture.read("a.txt"), "x = 1\n  y =  2\nx = 1\n");
});

test("file_edit refuses binary files", async (fixture) => {
  const failure = (path: string) =>
    failureOf(fixture.call(fileEdit, { path, old_text: "a", new_text: "b" }));
  const contents = { "b.bin": [97, 0, 97, 1], "latin.txt": [...Array(500).fill(97), 0xe4] };
  for (const [name, bytes] of Object.entries(contents)) {
    await Deno.writeFile(join(fixture.workspace, name), new Uint8Array(bytes));
  }
  assert.equal(await failure("b.bin"), 'Cannot edit "b.bin": it is a binary file.');
  const message = await failure("latin.txt");
  assert.equal(
    message,
    'Cannot edit "latin.txt": it is not valid UTF-8, and an edit would lose the invalid bytes.',
  );
  for (const [name, bytes] of Object.entries(contents)) {
    assert.deepEqual([...await Deno.readFile(join(fixture.workspace, name))], bytes);
  }
});

test("concurrent file_edit calls on one file lose no change", async (fixture) => {
  const marks = Array.from({ length: 8 }, (_, i) => `<${i}>`);
  await fixture.write("a.txt", marks.join("\n"));
  await Promise.all(
    marks.map((mark) =>
      fixture.call(fileEdit, { path: "a.txt", old_text: mark, new_text: `${mark}!` })
    ),
  );
  assert.equal(await fixture.read("a.txt"), marks.map((mark) => `${mark}!`).join("\n"));
});
