import assert from "node:assert/strict";
import { writeFileAtomically } from "../../../base/files/atomic_file.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const names = (dir: string) => [...Deno.readDirSync(dir)].map((entry) => entry.name);
const modeOf = (path: string) => (Deno.statSync(path).mode ?? 0) & 0o777;

Deno.test("writeFileAtomically() replaces a file and keeps its mode", async () => {
  await withTempDir(async (dir) => {
    const path = `${dir}/a.txt`;
    await Deno.writeTextFile(path, "old", { mode: 0o640 });
    await Deno.chmod(path, 0o640);
    await writeFileAtomically(path, "new ü");
    assert.equal(await Deno.readTextFile(path), "new ü");
    assert.equal(modeOf(path), 0o640);
    assert.deepEqual(names(dir), ["a.txt"]);
  });
});

Deno.test("writeFileAtomically() writes through a symbolic link", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/real`);
    await Deno.writeTextFile(`${dir}/real/a.txt`, "old");
    await Deno.symlink(`${dir}/real/a.txt`, `${dir}/link.txt`);
    await writeFileAtomically(`${dir}/link.txt`, "new");
    assert.equal(await Deno.readTextFile(`${dir}/real/a.txt`), "new");
    assert.ok((await Deno.lstat(`${dir}/link.txt`)).isSymlink);
  });
});

Deno.test("writeFileAtomically() leaves no temporary file if it fails", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/taken/inner`, { recursive: true });
    await assert.rejects(writeFileAtomically(`${dir}/taken`, "x"));
    assert.deepEqual(names(dir), ["taken"]);
    await assert.rejects(writeFileAtomically(`${dir}/no/such/a.txt`, "x"), Deno.errors.NotFound);
    await Deno.symlink("loop", `${dir}/loop`);
    await assert.rejects(writeFileAtomically(`${dir}/loop`, "x"), Deno.errors.FilesystemLoop);
    assert.ok((await Deno.lstat(`${dir}/loop`)).isSymlink);
    assert.deepEqual(names(dir).sort(), ["loop", "taken"]);
  });
});

Deno.test("writeFileAtomically() with mustBeNew replaces nothing, including broken links", async () => {
  await withTempDir(async (dir) => {
    await writeFileAtomically(`${dir}/a.txt`, "first", { mustBeNew: true });
    await Deno.symlink(`${dir}/nowhere`, `${dir}/link.txt`);
    for (const name of ["a.txt", "link.txt"]) {
      await assert.rejects(
        writeFileAtomically(`${dir}/${name}`, "second", { mustBeNew: true }),
        Deno.errors.AlreadyExists,
      );
    }
    assert.equal(await Deno.readTextFile(`${dir}/a.txt`), "first");
    assert.deepEqual(names(dir).sort(), ["a.txt", "link.txt"]);
  });
});

Deno.test("writeFileAtomically() with mustBeNew replaces nothing even if hard links fail", async () => {
  await withTempDir(async (dir) => {
    const mustBeNew = (path: string, link: typeof Deno.link) =>
      writeFileAtomically(path, "new", { mustBeNew: true, link });
    const refuse = () => Promise.reject(new Deno.errors.NotSupported("no hard links"));
    await mustBeNew(`${dir}/free.txt`, refuse);
    assert.equal(await Deno.readTextFile(`${dir}/free.txt`), "new");
    await Deno.symlink(`${dir}/nowhere`, `${dir}/link.txt`);
    await assert.rejects(mustBeNew(`${dir}/link.txt`, refuse), Deno.errors.AlreadyExists);
    // The other file appears only when the link is refused, so no earlier check can find it.
    const overtaken = async (_: string | URL, path: string | URL) => {
      await Deno.writeTextFile(path, "theirs");
      await refuse();
    };
    await assert.rejects(mustBeNew(`${dir}/taken.txt`, overtaken), Deno.errors.AlreadyExists);
    assert.equal(await Deno.readTextFile(`${dir}/taken.txt`), "theirs");
    assert.deepEqual(names(dir).sort(), ["free.txt", "link.txt", "taken.txt"]);
    assert.ok(Deno.lstatSync(`${dir}/link.txt`).isSymlink);
  });
});

/** Content that calls `look` before each of its parts is written. */
class WatchedBytes extends Uint8Array<ArrayBuffer> {
  look: () => void = () => {};

  override subarray(begin?: number, end?: number): Uint8Array<ArrayBuffer> {
    this.look();
    return Uint8Array.from(super.subarray(begin, end));
  }
}

Deno.test("writeFileAtomically() keeps a file private while it is written", async () => {
  await withTempDir(async (dir) => {
    const path = `${dir}/.env`;
    await Deno.writeTextFile(path, "OLD=1");
    await Deno.chmod(path, 0o600);
    // The mode comes from the options, and then from the replaced file.
    for (const options of [{ mode: 0o600 }, {}]) {
      const content = WatchedBytes.from(new TextEncoder().encode("NEW=1")) as WatchedBytes;
      const seen: (readonly [name: string, mode: number])[] = [];
      content.look = () => {
        const temporary = names(dir).filter((name) => name !== ".env");
        seen.push(...temporary.map((name) => [name, modeOf(`${dir}/${name}`)] as const));
      };
      await writeFileAtomically(path, content, options);
      assert.equal(await Deno.readTextFile(path), "NEW=1");
      assert.ok(seen.length > 0);
      for (const [name, mode] of seen) assert.equal(mode, 0o600, name);
    }
  });
});
