import assert from "node:assert/strict";
import { openTestStore } from "../../../support/test_store.ts";

Deno.test("SqlRestStore.endRest() ends a rest at its time, and not before, because another node may have renewed it", async () => {
  await using store = await openTestStore();
  const { id } = await store.accept();
  const rest = { until: 10, since: 1, reason: "later" };
  await store.endings.restExecution(id, { durationMs: 1, frames: [], rest });
  assert.equal(await store.rests.endRest(id, { at: 9, by: "time" }), undefined);
  const ended = await store.rests.endRest(id, { at: 10, by: "time" });
  assert.deepEqual(ended?.execution.rest?.ended, { at: 10, by: "time" });
  assert.equal(await store.rests.endRest(id, { at: 11, by: "time" }), undefined);
});
