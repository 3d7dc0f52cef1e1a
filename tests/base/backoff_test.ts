import assert from "node:assert/strict";
import { backoffMs } from "../../base/backoff.ts";

Deno.test("backoffMs() doubles the delay each time, up to a limit", () => {
  const waits = { firstMs: 500, longestMs: 3_000 };
  const all = [1, 2, 3, 4, 5, 10_000].map((failures) => backoffMs(failures, waits));
  assert.deepEqual(all, [500, 1_000, 2_000, 3_000, 3_000, 3_000]);
});
