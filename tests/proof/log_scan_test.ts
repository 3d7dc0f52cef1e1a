import assert from "node:assert/strict";
import { join } from "node:path";
import { formatLogLine } from "../../runtime/service_log/log_file.ts";
import { judgeLines, LogScan } from "../../proof/soak/log_scan.ts";
import { withTempDir } from "../support/temp_dir.ts";

const line = (level: "info" | "warn" | "error", fields: Record<string, unknown> = {}) =>
  formatLogLine({ at: 0, level, message: "It happened", fields });

Deno.test("judgeLines() reports errors and stack traces at any level", () => {
  const stack = new Error("a fault").stack ?? "";
  const lines = [
    line("info", { at: "noon:1:2" }),
    line("error"),
    line("warn", { error: stack }),
    ...stack.split("\n"),
  ];
  const rules = judgeLines(lines).map(({ rule }) => rule);
  assert.equal(rules[0], "no line of the log is an error");
  assert.equal(rules[1], "the log contains no stack trace");
  // Each line of the unescaped stack trace is reported.
  assert.equal(rules.length, 2 + stack.split("\n").length - 1);
});

Deno.test("LogScan reads each line once, even lines from before a rotation", () =>
  withTempDir(async (folder) => {
    const path = join(folder, "inkling.log");
    const scan = new LogScan(path);
    await Deno.writeTextFile(path, `${line("info")}\n${line("error", { n: 1 })}\nhalf a li`);
    assert.equal((await scan.look()).length, 1);
    await Deno.writeTextFile(path, `ne\n${line("error", { n: 2 })}\n`, { append: true });
    assert.match((await scan.look())[0]?.line ?? "", /n=2/);
    await Deno.writeTextFile(path, `${line("error", { n: 3 })}\n`, { append: true });
    await Deno.rename(path, `${path}.1`);
    await Deno.writeTextFile(path, `${line("error", { n: 4 })}\n`);
    assert.deepEqual((await scan.look()).map(({ line }) => line.slice(-3)), ["n=3", "n=4"]);
    assert.equal(scan.lines, 6);
  }));
