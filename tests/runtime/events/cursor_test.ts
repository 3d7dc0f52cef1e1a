import assert from "node:assert/strict";
import { resolveCursor } from "../../../runtime/events/cursor.ts";
import { Journal } from "../../../runtime/executions/record/journal.ts";
import { TestClock } from "../../support/test_clock.ts";
import { openTestStore } from "../../support/test_store.ts";

Deno.test("resolveCursor() replaces a cursor beyond the newest frame", async () => {
  await using store = await openTestStore();
  const { frames } = store;
  const execution = await store.accept();
  await store.accept();
  const options = { executionId: execution.id, frames };
  const newest = await frames.readNewestId();
  assert.equal(await resolveCursor(newest, options), newest);
  assert.equal(await resolveCursor(newest + 50, options), newest);
  const journal = new Journal(execution, { ...store, clock: new TestClock() });
  await journal.finish({ status: "error", error: "broke", output: null });
  await store.accept();
  const last = await frames.readNewestId(execution.id);
  assert.equal(await resolveCursor(newest + 50, options), last - 1);
});
