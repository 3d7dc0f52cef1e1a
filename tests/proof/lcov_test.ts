import assert from "node:assert/strict";
import { parseLcov } from "../../proof/coverage/lcov.ts";

Deno.test("parseLcov() reads the lines of each file, and nothing else of a report", () => {
  const text = [
    ...["SF:/a/one.ts", "FN:1,run", "FNDA:2,run", "BRDA:3,0,0,1", "DA:3,2", "DA:1,0", "LH:1"],
    ...["end_of_record", "SF:/a/c:d.ts", "end_of_record", "SF:/a/two.ts", "DA:7,1,hash"],
    ...["end_of_record", ""],
  ].join("\n");
  assert.deepEqual(parseLcov(text), [
    { path: "/a/one.ts", lines: new Map([[3, 2], [1, 0]]) },
    { path: "/a/c:d.ts", lines: new Map() },
    { path: "/a/two.ts", lines: new Map([[7, 1]]) },
  ]);
  assert.deepEqual(parseLcov(""), []);
});

Deno.test("parseLcov() refuses a count that cannot be read, and one of no file", () => {
  assert.throws(() => parseLcov("SF:/a\nDA:one,1\n"), /Cannot read a coverage report: "DA:one,1"/);
  assert.throws(() => parseLcov("DA:1,1\n"), /Cannot read a coverage report: "DA:1,1"/);
});
