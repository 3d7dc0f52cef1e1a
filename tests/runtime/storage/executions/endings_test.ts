import assert from "node:assert/strict";
import { Journal } from "../../../../runtime/executions/record/journal.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { openTestStore } from "../../../support/test_store.ts";
import { storedFrames } from "../stored_frames.ts";

Deno.test("SqlEndingStore.finishExecution() ends an execution once: one complete, the last frame", async () => {
  await using store = await openTestStore();
  const clock = new TestClock();
  const execution = await store.accept();
  const journal = new Journal(execution, { ...store, clock });
  await clock.advance(1_500);
  const ended = await journal.finish({ status: "success", error: null, output: "yes" });
  assert.equal(ended?.execution.status, "success");
  assert.equal(
    await journal.finish({ status: "aborted", error: "late", output: null }),
    undefined,
  );
  const stored = await store.executions.readExecution(execution.id);
  assert.equal(stored?.execution.status, "success");
  assert.equal(stored?.execution.durationMs, 1_500);
  assert.equal(stored?.output, "yes");
  const frames = await storedFrames(store, execution.id);
  assert.deepEqual(frames.map(({ event }) => event), [
    "meta",
    "final_answer",
    "complete",
  ]);
  assert.equal(frames[2]?.payload.duration_ms, 1_500);
});
