// What the file tools do, and what they say when they do not.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileDelete } from "../../../runtime/tools/builtin/file_delete.ts";
import { fileEdit } from "../../../runtime/tools/builtin/file_edit.ts";
import { fileMove } from "../../../runtime/tools/builtin/file_move.ts";
import { fileRead } from "../../../runtime/tools/builtin/file_read.ts";
import { fileWrite } from "../../../runtime/tools/builtin/file_write.ts";
import { boundResult } from "../../../runtime/tools/result_text.ts";
import { call, failureOf, SandboxFixture, testContext } from "../sandbox_fixture.ts";

async function names(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(folder)) found.push(name);
  return found.sort();
}

Deno.test("file_read numbers lines and reads a part", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  await fixture.write("a.txt", "\ufeffone\r\ntwo\n\nfour");
  assert.equal(await call(fileRead, { path: "a.txt" }, context), "1\tone\n2\ttwo\n3\t\n4\tfour");
  assert.equal(
    await call(fileRead, { path: "a.txt", with_line_numbers: false }, context),
    "one\ntwo\n\nfour",
  );
  assert.equal(
    await call(fileRead, { path: "a.txt", offset: 2, limit: 1 }, context),
    "2\ttwo\n(Lines 2-2 are shown; there is more. Go on with offset=3.)",
  );
  assert.equal(await call(fileRead, { path: "a.txt", offset: 4, limit: 9 }, context), "4\tfour");
});

Deno.test("file_read stops at 500 lines and goes on where it stopped", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  const lines = Array.from({ length: 1_234 }, (_, i) => `line ${i + 1}`);
  await fixture.write("long.txt", lines.join("\n") + "\n");
  const seen: string[] = [];
  let offset: number | undefined = 1;
  while (offset !== undefined) {
    const result: string = await call(fileRead, {
      path: "long.txt",
      offset,
      limit: 9_999,
      with_line_numbers: false,
    }, context);
    const next: string | undefined = /\(Lines .*offset=(\d+)\.\)$/.exec(result)?.[1];
    const shown = result.split("\n");
    if (next !== undefined) shown.pop();
    assert.ok(shown.length <= 500);
    seen.push(...shown);
    offset = next === undefined ? undefined : Number(next);
  }
  assert.deepEqual(seen, lines);
});

Deno.test("file_read keeps below the size of a result, its last line included", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  await fixture.write("wide.txt", Array.from({ length: 400 }, () => "ü".repeat(500)).join("\n"));
  const result = await call(fileRead, { path: "wide.txt" }, context);
  assert.equal(boundResult(result), result);
  assert.match(result, /\(Lines 1-\d+ are shown; there is more\. Go on with offset=\d+\.\)$/);
  await fixture.write("one.txt", "é".repeat(200_000) + "\nnext");
  const one = await call(fileRead, { path: "one.txt" }, context);
  assert.equal(boundResult(one), one);
  assert.match(
    one,
    /\(Line 1 is too long to show whole: the rest of it is left out\.\)\n\(Lines 1-1 .*offset=2\.\)$/,
  );
  assert.equal(await call(fileRead, { path: "one.txt", offset: 2 }, context), "2\tnext");
});

Deno.test("file_read says why it cannot read", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  await fixture.write("empty.txt", "");
  await fixture.write("two.txt", "1\n2\n");
  await Deno.writeFile(join(fixture.workspace, "b.bin"), new Uint8Array([137, 80, 78, 71, 0, 1]));
  await Deno.writeFile(
    join(fixture.workspace, "c.bin"),
    crypto.getRandomValues(new Uint8Array(500)).map((b) => b | 0x81),
  );
  assert.equal(await call(fileRead, { path: "empty.txt" }, context), "(The file is empty.)");
  const failure = (args: Record<string, unknown>) => failureOf(call(fileRead, args, context));
  assert.equal(
    await failure({ path: "two.txt", offset: 3 }),
    '"two.txt" has 2 lines; line 3 is behind its end.',
  );
  assert.equal(
    await failure({ path: "b.bin" }),
    'Cannot read "b.bin": it is a binary file (6 bytes).',
  );
  assert.match(await failure({ path: "c.bin" }), /binary file \(500 bytes\)/);
  assert.equal(await failure({ path: "no.txt" }), 'Cannot read "no.txt": it does not exist.');
  assert.equal(
    await failure({ path: "two.txt/x" }),
    'Cannot read "two.txt/x": a part of the path is a file, not a folder.',
  );
  assert.equal(
    await failure({ path: "notes" }),
    'Cannot read "notes": it is a folder. Use file_glob to see what is in it.',
  );
  await new Deno.Command("mkfifo", { args: [join(fixture.workspace, "pipe")] }).output();
  assert.equal(
    await failure({ path: "pipe" }),
    'Cannot read "pipe": it is no regular file (a pipe, socket or device).',
  );
});

Deno.test("file_write makes, replaces, and keeps the mode", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  assert.equal(
    await call(fileWrite, { path: "new/deep/a.md", content: "one\ntwo\n" }, context),
    "Created new/deep/a.md (8 chars, 2 lines)",
  );
  const path = join(fixture.workspace, "new/deep/a.md");
  await Deno.chmod(path, 0o640);
  assert.equal(
    await call(fileWrite, { path: "new/deep/a.md", content: "drei" }, context),
    "Updated new/deep/a.md (4 chars, 1 lines)",
  );
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o640);
  assert.equal(await fixture.read("new/deep/a.md"), "drei");
  assert.deepEqual(await names(join(fixture.workspace, "new/deep")), ["a.md"]);
  assert.equal(fileWrite.effect(fileWrite.check({ path: "a", content: "" })), "idempotent");
});

Deno.test("file_write says why it cannot write and leaves nothing behind", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  await fixture.write("fixed.txt", "stays");
  await Deno.chmod(join(fixture.workspace, "fixed.txt"), 0o444);
  const before = await names(fixture.workspace);
  const failure = (path: string) => failureOf(call(fileWrite, { path, content: "x" }, context));
  assert.equal(
    await failure("fixed.txt"),
    'Cannot write "fixed.txt": the file is marked read-only.',
  );
  assert.equal(
    await failure("fixed.txt/x"),
    'Cannot write "fixed.txt/x": a part of the path is a file, not a folder.',
  );
  assert.match(await failure("notes"), /^Cannot write "notes": it is a folder\./);
  assert.match(await failure("data.db"), /database files/);
  assert.match(await failure("../outside/new.txt"), /outside the allowed paths/);
  const aborted = testContext(fixture.sandbox(), { signal: AbortSignal.abort(new Error("stop")) });
  await assert.rejects(call(fileWrite, { path: "late.txt", content: "x" }, aborted), {
    message: "stop",
  });
  assert.deepEqual(await names(fixture.workspace), before);
  assert.equal(await fixture.read("fixed.txt"), "stays");
});

Deno.test("file_write replaces a symlinked file at its real place", async () => {
  await using fixture = await SandboxFixture.open();
  await fixture.write("notes/real.md", "old");
  await Deno.symlink("notes/real.md", join(fixture.workspace, "link.md"));
  assert.equal(
    await call(fileWrite, { path: "link.md", content: "new" }, testContext(fixture.sandbox())),
    "Updated notes/real.md (3 chars, 1 lines)",
  );
  assert.equal(await fixture.read("notes/real.md"), "new");
  assert.ok((await Deno.lstat(join(fixture.workspace, "link.md"))).isSymlink);
});

Deno.test("file_edit replaces unique text and keeps line ends and mode", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  await fixture.write("a.txt", "one\r\ntwo\r\nthree\r\n");
  await Deno.chmod(join(fixture.workspace, "a.txt"), 0o600);
  assert.equal(
    await call(fileEdit, { path: "a.txt", old_text: "two\nthree", new_text: "2\n3\n4" }, context),
    "Updated a.txt (1 replacement, line 2)",
  );
  assert.equal(await fixture.read("a.txt"), "one\r\n2\r\n3\r\n4\r\n");
  assert.equal((await Deno.stat(join(fixture.workspace, "a.txt"))).mode! & 0o777, 0o600);
  await fixture.write("b.txt", "\ufeffx y x\nx $& $1\n");
  assert.equal(
    await call(
      fileEdit,
      { path: "b.txt", old_text: "x", new_text: "$&z", replace_all: true },
      context,
    ),
    "Updated b.txt (3 replacements, lines 1, 2)",
  );
  assert.equal(
    await fixture.read("b.txt").then((text) => text.replace("\ufeff", "")),
    "$&z y $&z\n$&z $& $1\n",
  );
  assert.deepEqual([...(await Deno.readFile(join(fixture.workspace, "b.txt"))).slice(0, 3)], [
    0xef,
    0xbb,
    0xbf,
  ]);
});

Deno.test("file_edit says why it cannot edit", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  await fixture.write("a.txt", "x = 1\n  y =  2\nx = 1\n");
  await Deno.writeFile(
    join(fixture.workspace, "latin.txt"),
    new Uint8Array([0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0xe9]),
  );
  const failure = (old_text: string, new_text = "new", path = "a.txt") =>
    failureOf(call(fileEdit, { path, old_text, new_text }, context));
  assert.equal(
    await failure("x = 1"),
    'old_text is in "a.txt" 2 times, at lines 1, 3. Give more of the text around the place that you mean, or set replace_all.',
  );
  assert.match(
    await failure("z"),
    /^old_text is not in "a\.txt"\. It must match exactly.* Read the file again\.$/,
  );
  assert.match(await failure("y = 2"), /Line 2 differs from its first line in spaces only/);
  assert.match(await failure("1\tx = 1\n2\t  y =  2"), /Leave out the line numbers/);
  assert.match(await failure(""), /^old_text is empty/);
  assert.match(await failure("x", "x"), /are the same/);
  assert.match(await failure("abc", "x", "latin.txt"), /it is not UTF-8/);
  assert.match(await failure("abc", "x", "none.txt"), /it does not exist/);
  assert.equal(await fixture.read("a.txt"), "x = 1\n  y =  2\nx = 1\n");
});

Deno.test("file_edit leaves alone what is no text", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  const failure = (path: string) =>
    failureOf(call(fileEdit, { path, old_text: "a", new_text: "b" }, context));
  const contents = { "b.bin": [97, 0, 97, 1], "latin.txt": [...Array(500).fill(97), 0xe4] };
  for (const [name, bytes] of Object.entries(contents)) {
    await Deno.writeFile(join(fixture.workspace, name), new Uint8Array(bytes));
  }
  assert.equal(await failure("b.bin"), 'Cannot edit "b.bin": it is a binary file.');
  assert.equal(
    await failure("latin.txt"),
    'Cannot edit "latin.txt": it is not UTF-8, and what is not would be lost.',
  );
  for (const [name, bytes] of Object.entries(contents)) {
    assert.deepEqual([...await Deno.readFile(join(fixture.workspace, name))], bytes);
  }
});

Deno.test("file_edit calls on one file at the same time lose nothing", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  const marks = Array.from({ length: 8 }, (_, i) => `<${i}>`);
  await fixture.write("a.txt", marks.join("\n"));
  await Promise.all(
    marks.map((mark) =>
      call(fileEdit, { path: "a.txt", old_text: mark, new_text: `${mark}!` }, context)
    ),
  );
  assert.equal(await fixture.read("a.txt"), marks.map((mark) => `${mark}!`).join("\n"));
});

Deno.test("file_delete removes files and links, never folders", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  await fixture.write("notes/a.md", "a");
  await Deno.symlink("notes/a.md", join(fixture.workspace, "link.md"));
  await Deno.symlink("nowhere", join(fixture.workspace, "dangling.md"));
  await Deno.symlink(join(fixture.outside, "secret.txt"), join(fixture.workspace, "out.md"));
  assert.equal(await call(fileDelete, { path: "link.md" }, context), "Deleted link.md");
  assert.equal(await fixture.read("notes/a.md"), "a");
  assert.equal(await call(fileDelete, { path: "dangling.md" }, context), "Deleted dangling.md");
  assert.match(
    await failureOf(call(fileDelete, { path: "out.md" }, context)),
    /outside the allowed paths/,
  );
  assert.match(await failureOf(call(fileDelete, { path: "notes" }, context)), /it is a folder/);
  assert.equal(
    await failureOf(call(fileDelete, { path: "no.md" }, context)),
    'Cannot delete "no.md": it does not exist.',
  );
  assert.equal(await call(fileDelete, { path: "notes/a.md" }, context), "Deleted notes/a.md");
  assert.deepEqual(await names(join(fixture.workspace, "notes")), []);
  assert.equal(fileDelete.effect(fileDelete.check({ path: "a" })), "unsafe");
});

Deno.test("file_move renames, makes folders, and never overwrites", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  await fixture.write("a.md", "a");
  await fixture.write("b.md", "b");
  await Deno.symlink("b.md", join(fixture.workspace, "link.md"));
  const failure = (source: string, destination: string) =>
    failureOf(call(fileMove, { source, destination }, context));
  assert.equal(
    await failure("a.md", "b.md"),
    'Cannot move to "b.md": it exists already, and moving never overwrites.',
  );
  assert.equal(
    await failure("a.md", "notes"),
    'Cannot move to "notes": it is a folder. Name the file in it, too.',
  );
  assert.match(await failure("a.md", "a.md"), /exists already/);
  assert.match(await failure("notes", "n2"), /it is a folder/);
  assert.match(await failure("link.md", "l2.md"), /it is a symbolic link; only files can be moved/);
  assert.equal(await failure("no.md", "x.md"), 'Cannot move "no.md": it does not exist.');
  assert.match(await failure("a.md", "../outside/a.md"), /outside the allowed paths/);
  assert.match(await failure("a.md", "agents/a.md"), /the agents folder is closed/);
  assert.equal(
    await call(fileMove, { source: "a.md", destination: "new/deep/c.md" }, context),
    "Moved a.md to new/deep/c.md",
  );
  assert.equal(await fixture.read("new/deep/c.md"), "a");
  assert.equal(await fixture.read("b.md"), "b");
  assert.deepEqual(await names(fixture.workspace), [
    ".env",
    "agents",
    "b.md",
    "link.md",
    "new",
    "notes",
  ]);
});

Deno.test("file_move lets exactly one of several moves to the same name succeed", async () => {
  await using fixture = await SandboxFixture.open();
  const context = testContext(fixture.sandbox());
  for (let i = 0; i < 8; i++) await fixture.write(`${i}.md`, `${i}`);
  const outcomes = await Promise.allSettled(
    Array.from(
      { length: 8 },
      (_, i) => call(fileMove, { source: `${i}.md`, destination: "one.md" }, context),
    ),
  );
  assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  const left = (await names(fixture.workspace)).filter((name) => /^\d\.md$/.test(name));
  assert.equal(left.length, 7);
  assert.ok(!left.includes(`${await fixture.read("one.md")}.md`));
});
