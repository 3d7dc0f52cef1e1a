import assert from "node:assert/strict";
import { isCounted, missedLines, reportCoverage } from "../../proof/coverage/coverage_report.ts";
import type { FileCoverage } from "../../proof/coverage/lcov.ts";

/** A file whose lines ran as often as told, from line 1 on; null is a line without code. */
function file(path: string, ...hits: (number | null)[]): FileCoverage {
  const counted = hits.flatMap((count, index) =>
    count === null ? [] : [[index + 1, count] as const]
  );
  return { path, lines: new Map(counted) };
}

const ran = (count: number) => Array(count).fill(1);

Deno.test("missedLines() joins what lies together, over lines without code", () => {
  assert.deepEqual(missedLines(file("a", 0, 1, 0, null, 0, 1, 0)), [[1, 1], [3, 5], [7, 7]]);
  assert.deepEqual(missedLines({ path: "a", lines: new Map([[3, 0], [1, 0], [2, 1]]) }), [
    ...[[1, 1], [3, 3]],
  ]);
  assert.deepEqual(missedLines(file("a", 1, null)), []);
});

Deno.test("reportCoverage() names each file below 90 %, the worst first, and the folders as a whole", () => {
  const { text, isEnough } = reportCoverage([
    file("runtime/low.ts", ...ran(8), 0, 0),
    file("runtime/none.ts", 0, 0),
    file("runtime/types.ts"),
    file("runtime/enough.ts", ...ran(9), 0),
    file("runtime/long.ts", ...ran(78)),
    file("server/all.ts", 3),
    file("server/dashboard/client/page.ts", 0),
    file("cli/other.ts", 0),
  ]);
  assert.deepEqual(text.split("\n"), [
    "  0.0 %  runtime/none.ts: 1-2",
    " 80.0 %  runtime/low.ts: 9-10",
    " 95.0 %  runtime/ in all: 95 of 100 lines, 5 files",
    "100.0 %  server/ in all: 1 of 1 lines, 1 files",
  ]);
  assert.equal(isEnough, true);
});

Deno.test("reportCoverage(): a folder below 90 % is not enough, nor one in which nothing was counted", () => {
  const server = file("server/all.ts", 1);
  const almost = reportCoverage([
    file("runtime/a.ts", ...ran(8_999), ...Array(1_001).fill(0)),
    server,
  ]);
  assert.equal(almost.isEnough, false);
  assert.match(almost.text, /89\.9 % {2}runtime\/ in all/);
  assert.equal(reportCoverage([file("runtime/a.ts", ...ran(9), 0), server]).isEnough, true);
  assert.equal(reportCoverage([server]).isEnough, false);
});

Deno.test("isCounted() leaves out what no test of the service loads", () => {
  assert.equal(isCounted("runtime/mod.ts"), true);
  assert.equal(isCounted("server/dashboard/dashboard_asset.ts"), true);
  for (
    const path of ["server/dashboard/client/main.tsx", "server/docs_assets/x.ts", "cli/mod.ts"]
  ) {
    assert.equal(isCounted(path), false);
  }
});
