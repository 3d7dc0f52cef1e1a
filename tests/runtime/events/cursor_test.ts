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
  const headAt = async (cursor: number) =>
    await frames.readHead(execution.id, cursor) ?? assert.fail("The execution is unknown");
  const resolve = async (cursor: number) => resolveCursor(cursor, await headAt(cursor));
  const { newestId: newest, lastId: first } = await headAt(0);
  assert.equal(await resolve(newest), newest);
  assert.equal(await resolve(newest + 50), newest);
  const journal = new Journal(execution, { ...store, clock: new TestClock() });
  await journal.finish({ status: "error", error: "broke", output: null });
  await store.accept();
  const { lastId: last, newestId } = await headAt(0);
  assert.ok(first < newest && newest < last && last < newestId);
  assert.equal(await resolve(newestId + 50), last - 1);
  assert.equal(await resolve(newestId), newestId);
  const events = await Promise.all([first, newest, last, newestId].map(headAt));
  assert.deepEqual(events.map(({ event }) => event), ["meta", null, "complete", null]);
});
