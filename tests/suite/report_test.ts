import assert from "node:assert/strict";
import { createReport } from "./report.ts";

/** Returns the report about these lines of Deno's reporter. The clock advances one second at each line. */
function report(lines: readonly string[]): string[] {
  const files = ["tests/a/one_test.ts", "tests/a/two_test.ts"];
  const printed: string[] = [];
  let seconds = 0;
  const read = createReport({
    groups: [{ files, markOf: String }],
    print: (line) => printed.push(line),
    now: () => seconds * 1_000,
  });
  for (const line of lines) {
    seconds += 1;
    read.read(line);
  }
  read.finish();
  return printed;
}

const end = (name: string, outcome: string, time = "12ms") =>
  `/tmp/x/group_0.ts => ${name} ... ${outcome} (${time})`;
const ONE = end("▸ tests/a/one_test.ts", "ignored");
const TWO = end("▸ tests/a/two_test.ts", "ignored");
const LAST = end("▸ ", "ignored");

Deno.test("report: each file gets a line with its tests, time and failures", () => {
  const printed = report([
    ONE,
    end("adds", "ok"),
    end("waits ... a step", "ok"),
    end("waits", "FAILED (due to 1 failed step)", "1m2s"),
    "------- output -------",
    "error: no luck at file:///tmp/x/group_0.ts:3:1",
    TWO,
    end("needs a browser", "ignored"),
    LAST,
    "FAILED | 1 passed (1 step) | 1 failed | 4 ignored (9s)",
  ]);
  assert.deepEqual(printed.slice(0, 6), [
    "error: no luck at tests/a/one_test.ts:3:1",
    "FAILED     2     6.0 s  tests/a/one_test.ts",
    "        FAILED: waits",
    "skipped    1     2.0 s  tests/a/two_test.ts",
    "\nTests that took 3 s or more:",
    "  62 s  waits",
  ]);
  assert.equal(printed[6], "\n1 test was skipped.");
  assert.equal(printed.at(-1), "FAILED | 1 passed (1 step) | 1 failed | 1 skipped (9s)");
});

Deno.test("report: finish() lists files with cancelled tests, and omits slow tests with a reason", () => {
  const slow = "PostgresDatabase survives restarts of its server";
  const printed = report([ONE, end(slow, "ok", "5s"), end("hangs", "cancelled", "0ms")]);
  assert.deepEqual(printed.slice(0, 2), [
    "FAILED     2     2.0 s  tests/a/one_test.ts",
    "        cancelled: hangs",
  ]);
  assert.ok(!printed.join("\n").includes("Tests that took"));
});

Deno.test("report: the line before the tests names their module if Deno runs one job", () => {
  const printed = report([
    "running 3 tests from /tmp/x/group_0.ts",
    "▸ tests/a/one_test.ts ... ignored (0ms)",
    "adds ... ok (12ms)",
    "▸  ... ignored (0ms)",
    "ok | 1 passed | 0 failed | 2 ignored (1s)",
  ]);
  assert.deepEqual(printed, [
    "ok         1     2.0 s  tests/a/one_test.ts",
    "",
    "ok | 1 passed | 0 failed | 0 skipped (1s)",
  ]);
});
