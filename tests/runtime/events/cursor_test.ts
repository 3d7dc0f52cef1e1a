import assert from "node:assert/strict";
import { toKnownCursor } from "../../../runtime/events/cursor.ts";
import { Journal } from "../../../runtime/executions/record/journal.ts";
import { TestClock } from "../../support/test_clock.ts";
import { openTestStore } from "../../support/test_store.ts";

Deno.test("toKnownCursor() keeps a cursor that the database gave, to its newest frame", async () => {
  await using store = await openTestStore();
  const { frames } = store;
  const { id: executionId } = await store.accept();
  const { id: other } = await store.accept();
  const newest = await frames.readNewestId();
  assert.equal(newest, await frames.readNewestId(other));
  for (const after of [0, 1, newest]) {
    assert.equal(await toKnownCursor(after, { executionId, frames }), after);
  }
});

Deno.test("toKnownCursor() replaces one from beyond: by the newest frame, or the last but one of what has ended", async () => {
  await using store = await openTestStore();
  const { frames } = store;
  const execution = await store.accept();
  await store.accept();
  const options = { executionId: execution.id, frames };
  const newest = await frames.readNewestId();
  assert.equal(await toKnownCursor(newest + 50, options), newest);
  const journal = new Journal(execution, { ...store, clock: new TestClock() });
  await journal.finish({ status: "error", error: "broke", output: null });
  await store.accept();
  const last = await frames.readNewestId(execution.id);
  assert.equal(await toKnownCursor(newest + 50, options), last - 1);
});
