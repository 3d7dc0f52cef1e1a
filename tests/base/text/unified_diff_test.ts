import assert from "node:assert/strict";
import { unifiedDiff } from "../../../base/text/unified_diff.ts";

Deno.test("unifiedDiff() returns hunks with three lines of context", async () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  assert.deepEqual(await unifiedDiff(before, before.replace("5\n", "five\nand\n")), {
    diff: "@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+and\n 6\n 7\n 8\n",
    added: 2,
    removed: 1,
  });
  assert.deepEqual(await unifiedDiff(before, before), { diff: "", added: 0, removed: 0 });
});

Deno.test("unifiedDiff() marks a missing end of line", async () => {
  assert.deepEqual(await unifiedDiff("", "a\nb"), {
    diff: "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n",
    added: 2,
    removed: 0,
  });
  assert.deepEqual(await unifiedDiff("-- a\n", ""), {
    diff: "@@ -1,1 +0,0 @@\n--- a\n",
    added: 0,
    removed: 1,
  });
});

Deno.test("unifiedDiff() shows very different texts as a removed and an added text", async () => {
  const lines = (word: string) =>
    Array.from({ length: 3_000 }, (_, i) => `${word} ${i}\n`).join("");
  const { diff, added, removed } = await unifiedDiff(lines("old"), `${lines("new")}end`);
  assert.deepEqual([added, removed], [3_001, 3_000]);
  assert.match(diff, /^@@ -1,3000 \+1,3001 @@\n-old 0\n/);
  assert.match(diff, /\+new 2999\n\+end\n\\ No newline at end of file\n$/);
});
