import assert from "node:assert/strict";
import fc from "fast-check";
import { parseDuration } from "../../runtime/durations.ts";
import { toDuration } from "../../server/duration_text.ts";

Deno.test("toDuration() writes what parseDuration() reads", () => {
  assert.equal(toDuration(0), "0s");
  assert.equal(toDuration(90_000), "1m30s");
  assert.equal(toDuration(86_400_500), "1d500ms");
  fc.assert(fc.property(fc.nat(10_000_000_000), (ms) => {
    assert.equal(parseDuration(toDuration(ms)), ms);
  }));
});
