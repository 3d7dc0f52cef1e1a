import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { SystemClock } from "../../../base/clock.ts";
import {
  formatLogLine,
  logUnhandledRejections,
  openLogFile,
} from "../../../runtime/service_log/log_file.ts";
import { createSurvivingWriter } from "../../../runtime/service_log/log_file.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { TestClock } from "../../support/test_clock.ts";
import { anyText } from "../../support/any_text.ts";
import { LogLines } from "../../support/log_lines.ts";

const clock = new TestClock();

Deno.test("openLogFile() appends to a private file", () =>
  withTempDir(async (dir) => {
    const path = join(dir, "inkling.log");
    for (const message of ["first", "second"]) {
      using log = openLogFile(path, { clock });
      log.write("warn", message, { agent: "a b" });
    }
    const lines = (await Deno.readTextFile(path)).trimEnd().split("\n");
    const expected = [' WARN  first agent="a b"', ' WARN  second agent="a b"'];
    assert.deepEqual(lines.map((line) => line.slice(line.indexOf(" "))), expected);
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  }));

Deno.test("openLogFile() rotates at 5 MB and keeps three old files", () =>
  withTempDir(async (dir) => {
    using log = openLogFile(join(dir, "inkling.log"), { clock });
    const megabyte = "x".repeat(1_024 * 1_024);
    for (let count = 0; count < 26; count++) log.write("info", `${count} ${megabyte}`);
    const names = (await Array.fromAsync(Deno.readDir(dir))).map(({ name }) => name).sort();
    assert.deepEqual(names, ["inkling.log", "inkling.log.1", "inkling.log.2", "inkling.log.3"]);
    for (const name of names) {
      assert.ok((await Deno.stat(join(dir, name))).size <= 5 * 1_024 * 1_024);
    }
    assert.match(await Deno.readTextFile(join(dir, "inkling.log")), / 25 x/);
  }));

Deno.test("openLogFile() passes each line to onLine as written to the file", () =>
  withTempDir(async (dir) => {
    const path = join(dir, "inkling.log");
    const seen: string[] = [];
    /** The time, which differs at each call, so that a second formatting of a line would be visible. */
    let now = 0;
    const moving = { now: () => now += 1_000, sleep: new SystemClock().sleep };
    using log = openLogFile(path, { clock: moving, onLine: (line) => seen.push(line) });
    log.write("info", "first", { agent: "a" });
    log.write("warn", "second");
    assert.deepEqual(seen, [
      "1970-01-01T00:00:01.000Z INFO  first agent=a",
      "1970-01-01T00:00:02.000Z WARN  second",
    ]);
    assert.equal(await Deno.readTextFile(path), seen.map((line) => `${line}\n`).join(""));
  }));

Deno.test("createSurvivingWriter() counts the lines lost to a full disk, and rethrows other errors", () => {
  const written: string[] = [];
  let failure: Error | undefined = Object.assign(new Error("No space left"), { code: "ENOSPC" });
  const write = createSurvivingWriter((line) => {
    if (failure !== undefined) throw failure;
    written.push(line);
  }, { describeLoss: (lost) => `${lost} lost` });
  write("first");
  write("second");
  failure = undefined;
  write("third");
  write("fourth");
  assert.deepEqual(written, ["2 lost", "third", "fourth"]);
  failure = new TypeError("a bug");
  assert.throws(() => write("fifth"), TypeError);
});

Deno.test("formatLogLine() returns one line, without undefined fields", () => {
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

Deno.test("formatLogLine() escapes control and invisible characters", () => {
  const line = formatLogLine({
    at: 0,
    level: "info",
    message: "a\u001b[2Jb\u0000",
    fields: {
      c1: "\u009b2J",
      turned: "\u202etxt.exe",
      list: ["\u009b"],
      seen: "größe/👩‍💻",
    },
  });
  assert.equal(
    line,
    "1970-01-01T00:00:00.000Z INFO  a\\u001b[2Jb\\u0000" +
      ' c1="\\u009b2J" turned="\\u202etxt.exe" list="[\\"\\u009b\\"]" seen=größe/👩‍💻',
  );
  assert.deepEqual(JSON.parse(/c1=(\S+)/.exec(line)?.[1] ?? ""), "\u009b2J");
});

Deno.test("formatLogLine() never returns a control character", () => {
  const text = anyText({ maxLength: 40 });
  fc.assert(fc.property(text, text, (message, value) => {
    const line = formatLogLine({ at: 0, level: "info", message, fields: { value } });
    assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}]/u);
    // The line contains the whole value, quoted or not. Lone surrogates are excluded, because they are no valid text.
    const written = line.slice(line.lastIndexOf(" value=") + " value=".length);
    if (!value.includes(" value=")) {
      assert.equal(written.startsWith('"') ? JSON.parse(written) : written, value);
    }
  }));
});

function reject(target: EventTarget, reason: Error): Event {
  const event = Object.assign(new Event("unhandledrejection", { cancelable: true }), { reason });
  target.dispatchEvent(event);
  return event;
}

Deno.test("logUnhandledRejections() logs rejections and keeps the process running until disposed", () => {
  const target = new EventTarget();
  const log = new LogLines();
  const error = new TypeError("lost");
  {
    using _strays = logUnhandledRejections(log, { target });
    assert.equal(reject(target, error).defaultPrevented, true);
  }
  assert.equal(reject(target, error).defaultPrevented, false);
  const expected = [["error", error]];
  assert.deepEqual(log.lines.map(({ level, fields }) => [level, fields["error"]]), expected);
});
