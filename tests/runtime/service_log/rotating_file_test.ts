// Tests lines that are written when a file is full. log_file_test.ts tests the sizes of the service log.
import assert from "node:assert/strict";
import { join } from "node:path";
import { RotatingFile } from "../../../runtime/service_log/rotating_file.ts";
import { withTempDir } from "../../support/temp_dir.ts";

async function contents(dir: string): Promise<Record<string, string>> {
  const names = (await Array.fromAsync(Deno.readDir(dir))).map(({ name }) => name).sort();
  return Object.fromEntries(names.map((name) => [name, Deno.readTextFileSync(join(dir, name))]));
}

Deno.test("RotatingFile.open() makes existing files private", () =>
  withTempDir(async (dir) => {
    const names = ["log", "log.1", "log.2"];
    for (const name of names) {
      await Deno.writeTextFile(join(dir, name), "old\n");
      await Deno.chmod(join(dir, name), 0o666);
    }
    {
      using file = RotatingFile.open(join(dir, "log"), { maxBytes: 100, oldFiles: 3 });
      file.writeLine("new");
    }
    assert.equal(await Deno.readTextFile(join(dir, "log")), "old\nnew\n");
    for (const name of names) {
      assert.equal(((await Deno.stat(join(dir, name))).mode ?? 0) & 0o777, 0o600, name);
    }
  }));

Deno.test("RotatingFile.open() keeps the mode of a link's target", () =>
  withTempDir(async (dir) => {
    const target = join(dir, "everybody's");
    await Deno.writeTextFile(target, "");
    await Deno.chmod(target, 0o666);
    await Deno.symlink(target, join(dir, "log"));
    using _file = RotatingFile.open(join(dir, "log"), { maxBytes: 100, oldFiles: 1 });
    assert.equal(((await Deno.stat(target)).mode ?? 0) & 0o777, 0o666);
  }));

Deno.test("RotatingFile writes a line over the size limit, and recreates removed files", () =>
  withTempDir(async (dir) => {
    using file = RotatingFile.open(join(dir, "log"), { maxBytes: 4, oldFiles: 3 });
    file.writeLine("one line");
    file.writeLine("two");
    await Deno.remove(join(dir, "log"));
    await Deno.remove(join(dir, "log.1"));
    file.writeLine("three");
    file.writeLine("four");
    assert.deepEqual(await contents(dir), { "log": "four\n", "log.1": "three\n" });
  }));

Deno.test("RotatingFile keeps writing to a full file while no new file can be created", () =>
  withTempDir(async (dir) => {
    using file = RotatingFile.open(join(dir, "log"), { maxBytes: 8, oldFiles: 2 });
    for (const line of ["oldest", "middle", "newest"]) file.writeLine(line);
    const { openSync } = Deno;
    Deno.openSync = () => {
      throw Object.assign(new Error("Too many open files (os error 24)"), { code: "EMFILE" });
    };
    try {
      for (const line of ["one", "two", "three"]) file.writeLine(line);
    } finally {
      Deno.openSync = openSync;
    }
    assert.deepEqual(await contents(dir), {
      "log": "newest\none\ntwo\nthree\n",
      "log.1": "middle\n",
      "log.2": "oldest\n",
    });
    // A failed rotation is retried after the file has grown.
    file.writeLine("x".repeat(70_000));
    file.writeLine("after");
    const now = await contents(dir);
    assert.deepEqual([now["log"], now["log.2"]], ["after\n", "newest\none\ntwo\nthree\n"]);
  }));

Deno.test("RotatingFile starts a new line after a partial write", () =>
  withTempDir(async (dir) => {
    using file = RotatingFile.open(join(dir, "log"), { maxBytes: 1_000, oldFiles: 1 });
    const { writeSync } = Deno.FsFile.prototype;
    let calls = 0;
    Deno.FsFile.prototype.writeSync = function (bytes) {
      if (++calls > 1) {
        throw Object.assign(new Error("No space left on device"), { code: "ENOSPC" });
      }
      return writeSync.call(this, bytes.subarray(0, 3));
    };
    try {
      assert.throws(() => file.writeLine("a long line"), /No space/);
      assert.throws(() => file.writeLine("lost"), /No space/);
    } finally {
      Deno.FsFile.prototype.writeSync = writeSync;
    }
    file.writeLine("whole");
    assert.deepEqual(await contents(dir), { "log": "a l\nwhole\n" });
  }));
