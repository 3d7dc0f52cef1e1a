// Files that change under an operation, and operations between two file systems.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileMove } from "../../runtime/tools/builtin/file_move.ts";
import { openFile, writeFile } from "../../runtime/tools/sandboxed_files.ts";
import { mount, unlessMountable, unmount } from "../faults/mount.ts";
import { call, failureOf, SandboxFixture, testContext } from "./sandbox_fixture.ts";

async function names(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}

Deno.test({
  name: "file_move takes a file to another file system with its mode, and never overwrites there",
  ignore: unlessMountable() !== undefined,
  async fn() {
    await using fixture = await SandboxFixture.open();
    const far = await Deno.realPath(await Deno.makeTempDir());
    assert.ok(mount(far, "size=4m"));
    try {
      const context = testContext(fixture.sandbox([
        { alias: "near", path: fixture.workspace },
        { alias: "far", path: far },
      ]));
      // Longer than what is copied at a time.
      const content = "A long line of text.\n".repeat(30_000);
      await fixture.write("a.md", content);
      await Deno.chmod(join(fixture.workspace, "a.md"), 0o640);
      await fixture.write("b.md", "b");
      const move = (source: string, destination: string) =>
        call(fileMove, { source, destination }, context);
      await move("a.md", join(far, "deep/a.md"));
      assert.equal(await Deno.readTextFile(join(far, "deep/a.md")), content);
      assert.equal(((await Deno.stat(join(far, "deep/a.md"))).mode ?? 0) & 0o777, 0o640);
      assert.match(await failureOf(move("b.md", join(far, "deep/a.md"))), /it exists already/);
      assert.equal(await Deno.readTextFile(join(far, "deep/a.md")), content);
      assert.equal(await fixture.read("b.md"), "b");
      await move(join(far, "deep/a.md"), "back.md");
      assert.equal(await fixture.read("back.md"), content);
      assert.deepEqual(await names(join(far, "deep")), []);
      assert.deepEqual(
        (await names(fixture.workspace)).filter((name) => name !== ".env"),
        ["agents", "b.md", "back.md", "notes"],
      );
    } finally {
      unmount(far);
      await Deno.remove(far, { recursive: true });
    }
  },
});

Deno.test("openFile(): of a file that became shorter, readAll() gives what is left", async () => {
  await using fixture = await SandboxFixture.open();
  await fixture.write("a.txt", "0123456789");
  await using file = await openFile(fixture.sandbox(), "a.txt");
  await Deno.truncate(join(fixture.workspace, "a.txt"), 4);
  assert.equal(new TextDecoder().decode(await file.readAll(100)), "0123");
});

Deno.test("openFile(): readAll() refuses more than it may hold", async () => {
  await using fixture = await SandboxFixture.open();
  await fixture.write("a.txt", "0123456789");
  await using file = await openFile(fixture.sandbox(), "a.txt");
  assert.equal(await failureOf(file.readAll(9)), '"a.txt" is too big: 10 bytes, at most 9.');
});

Deno.test("writeFile() with a version writes nothing over what somebody changed or removed meanwhile", async () => {
  await using fixture = await SandboxFixture.open();
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
  assert.deepEqual(await names(join(fixture.workspace, "notes")), []);
});
