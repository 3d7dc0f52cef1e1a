import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { formatLogLine, openLogFile, survivingLog } from "../../runtime/service_log/log_file.ts";
import { withTempDir } from "../config/temp_dir.ts";

Deno.test("openLogFile() appends to a private file", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "inkling.log");
    for (const message of ["first", "second"]) {
      using log = openLogFile(path);
      log.write("warn", message, { agent: "a b" });
    }
    const lines = (await Deno.readTextFile(path)).trimEnd().split("\n");
    assert.deepEqual(lines.map((line) => line.slice(line.indexOf(" "))), [
      ' WARN  first agent="a b"',
      ' WARN  second agent="a b"',
    ]);
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("openLogFile() begins a new file at 5 MB and keeps three old ones", async () => {
  await withTempDir(async (dir) => {
    using log = openLogFile(join(dir, "inkling.log"));
    const megabyte = "x".repeat(1_024 * 1_024);
    for (let count = 0; count < 26; count++) log.write("info", `${count} ${megabyte}`);
    const names = (await Array.fromAsync(Deno.readDir(dir))).map(({ name }) => name).sort();
    assert.deepEqual(
      names,
      ["inkling.log", "inkling.log.1", "inkling.log.2", "inkling.log.3"],
    );
    for (const name of names) {
      assert.ok((await Deno.stat(join(dir, name))).size <= 5 * 1_024 * 1_024);
    }
    assert.match(await Deno.readTextFile(join(dir, "inkling.log")), / 25 x/);
  });
});

Deno.test("survivingLog() loses lines to a full disk, tells how many, and lets bugs through", () => {
  const written: unknown[] = [];
  let failure: Error | undefined = Object.assign(new Error("No space left"), { code: "ENOSPC" });
  const log = survivingLog({
    write(level, message, fields) {
      if (failure !== undefined) throw failure;
      written.push([level, message, fields]);
    },
  });
  log.write("info", "first");
  log.write("info", "second");
  failure = undefined;
  log.write("info", "third");
  log.write("info", "fourth");
  assert.deepEqual(written, [
    ["warn", "Lines of this log were lost: it could not be written", { lost: 2 }],
    ["info", "third", undefined],
    ["info", "fourth", undefined],
  ]);
  failure = new TypeError("a bug");
  assert.throws(() => log.write("info", "fifth"), TypeError);
});

Deno.test("formatLogLine() keeps a line one line, and leaves out what is not there", () => {
  assert.equal(
    formatLogLine({
      at: 0,
      level: "error",
      message: "a\r\nb",
      fields: { none: undefined, text: "x\ny", count: 3, list: [1], quoted: 'a"b' },
    }),
    '1970-01-01T00:00:00.000Z ERROR a b text="x\\ny" count=3 list=[1] quoted="a\\"b"',
  );
});

Deno.test("formatLogLine() escapes what a terminal would obey and what nobody sees, so that the log stays text", () => {
  const line = formatLogLine({
    at: 0,
    level: "info",
    message: "a\u001b[2Jb\u0000",
    fields: {
      nul: "/agents/\u0000",
      escape: "\u001b]0;title\u0007",
      c1: "\u009b2J",
      turned: "\u202etxt.exe",
      breaks: "a\u2028b\u0085c\u007f",
      tag: "\u{e0041}",
      list: ["\u009b"],
      seen: "größe/👩‍💻",
    },
  });
  assert.equal(
    line,
    "1970-01-01T00:00:00.000Z INFO  a\\u001b[2Jb\\u0000" +
      ' nul="/agents/\\u0000" escape="\\u001b]0;title\\u0007" c1="\\u009b2J"' +
      ' turned="\\u202etxt.exe" breaks="a\\u2028b\\u0085c\\u007f" tag="\\udb40\\udc41"' +
      ' list="[\\"\\u009b\\"]" seen=größe/👩‍💻',
  );
  assert.deepEqual(
    JSON.parse(/c1=(\S+)/.exec(line)?.[1] ?? ""),
    "\u009b2J",
  );
});

Deno.test("formatLogLine() never lets a control character through, whatever is told", () => {
  const text = fc.string({ unit: "binary", maxLength: 40 });
  fc.assert(fc.property(text, text, (message, value) => {
    const line = formatLogLine({ at: 0, level: "info", message, fields: { value } });
    assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}]/u);
    // The value is there, whole, quoted or not; halves of characters are no text.
    const written = line.slice(line.lastIndexOf(" value=") + " value=".length);
    if (!value.includes(" value=")) {
      assert.equal(written.startsWith('"') ? JSON.parse(written) : written, value);
    }
  }));
});
