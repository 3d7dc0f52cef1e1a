// What becomes of lines when a file is full; log_file_test.ts has the sizes of the service log.
import assert from "node:assert/strict";
import { join } from "node:path";
import { RotatingFile } from "../../runtime/service_log/rotating_file.ts";
import { withTempDir } from "../config/temp_dir.ts";

async function contents(dir: string): Promise<Record<string, string>> {
  const names = (await Array.fromAsync(Deno.readDir(dir))).map(({ name }) => name).sort();
  return Object.fromEntries(names.map((name) => [name, Deno.readTextFileSync(join(dir, name))]));
}

Deno.test("RotatingFile counts what was there before, loses no line but the oldest, and stays private", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "log");
    // "ä" is two bytes: 9 a line.
    for (const line of ["ä-first", "ä-other", "ä-third", "ä-later", "ä-after"]) {
      using file = RotatingFile.open(path, { maxBytes: 20, oldFiles: 1 });
      file.writeLine(line);
    }
    assert.deepEqual(await contents(dir), {
      "log": "ä-after\n",
      "log.1": "ä-third\nä-later\n",
    });
    for (const name of ["log", "log.1"]) {
      assert.equal(((await Deno.stat(join(dir, name))).mode ?? 0) & 0o777, 0o600);
    }
  });
});

Deno.test("RotatingFile takes a line that is larger than a file may be, and files that somebody took away", async () => {
  await withTempDir(async (dir) => {
    using file = RotatingFile.open(join(dir, "log"), { maxBytes: 4, oldFiles: 3 });
    file.writeLine("one line");
    file.writeLine("two");
    await Deno.remove(join(dir, "log"));
    await Deno.remove(join(dir, "log.1"));
    file.writeLine("three");
    file.writeLine("four");
    assert.deepEqual(await contents(dir), { "log": "four\n", "log.1": "three\n" });
  });
});
