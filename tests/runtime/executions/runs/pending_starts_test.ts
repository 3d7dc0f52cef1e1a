import assert from "node:assert/strict";
import { PendingStarts } from "../../../../runtime/executions/runs/pending_starts.ts";

Deno.test("PendingStarts.settled() waits for all that is about to run, and not for what fails", async () => {
  const starts = new PendingStarts();
  assert.equal(starts.isEmpty, true);
  const [one, two] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const changes = [starts.track(one.promise), starts.track(two.promise)];
  let isSettled = false;
  const settled = starts.settled().then(() => isSettled = true);
  one.reject(new Error("the disk is full"));
  await assert.rejects(changes[0] ?? assert.fail(), { message: "the disk is full" });
  assert.equal(isSettled, false);
  assert.equal(starts.isEmpty, false);
  two.resolve("stored");
  assert.equal(await changes[1], "stored");
  await settled;
  assert.equal(starts.isEmpty, true);
});
