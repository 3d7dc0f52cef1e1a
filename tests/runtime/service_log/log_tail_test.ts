import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { readLogTail } from "../../../runtime/service_log/log_tail.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const withFile = (test: (path: string) => Promise<void>) =>
  withTempDir((folder) => test(join(folder, "inkling.log")));

Deno.test("readLogTail() returns the last lines, oldest first, and none without a file", () =>
  withFile(async (path) => {
    assert.deepEqual(await readLogTail(path, { lines: 5 }), []);
    await Deno.writeTextFile(path, "");
    assert.deepEqual(await readLogTail(path, { lines: 5 }), []);
    await Deno.writeTextFile(path, "one\ntwo\n\nfour\n");
    assert.deepEqual(await readLogTail(path, { lines: 2 }), ["", "four"]);
    assert.deepEqual(await readLogTail(path, { lines: 9 }), ["one", "two", "", "four"]);
    await Deno.writeTextFile(path, "one\nbeing writ");
    assert.deepEqual(await readLogTail(path, { lines: 1 }), ["being writ"]);
  }));

Deno.test("readLogTail() continues in the rotated file", () =>
  withFile(async (path) => {
    await Deno.writeTextFile(`${path}.1`, "a\nb\nc\n");
    await Deno.writeTextFile(path, "d\ne\n");
    assert.deepEqual(await readLogTail(path, { lines: 3 }), ["c", "d", "e"]);
    assert.deepEqual(await readLogTail(path, { lines: 2 }), ["d", "e"]);
    await Deno.remove(path);
    assert.deepEqual(await readLogTail(path, { lines: 2 }), ["b", "c"]);
  }));

Deno.test("readLogTail() returns the end of any file", () =>
  withFile(async (path) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.nat(400)), { maxLength: 60 }),
        fc.integer({ min: 1, max: 80 }),
        async (parts, lines) => {
          const all = parts.map(([text, times]) => text.replaceAll("\n", "").repeat(times) + "·");
          await Deno.writeTextFile(path, all.map((line) => `${line}\n`).join(""));
          assert.deepEqual(await readLogTail(path, { lines }), all.slice(-lines));
        },
      ),
      { numRuns: 60 },
    );
  }));

Deno.test("readLogTail() reads at most 2 MB, from the beginning of a line", () =>
  withFile(async (path) => {
    const line = "é".repeat(999);
    await Deno.writeTextFile(path, `${line}\n`.repeat(3_000));
    const found = await readLogTail(path, { lines: 5_000 });
    assert.ok(found.length > 900 && found.length < 1_100, String(found.length));
    assert.ok(found.every((one) => one === line));
  }));
