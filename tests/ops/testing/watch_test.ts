// Tests that watch() reports changes of case files and agent files.
import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { createTestedWorkspace } from "./tested_workspace.ts";

Deno.test("watch() reports changed cases and agents until the signal aborts", async () => {
  await using world = await createTestedWorkspace();
  await world.agent("worker");
  await world.write("worker/a.yaml", "version: 1\nreplies: [{ text: hi }]\n");
  const stop = new AbortController();
  let count = 0;
  const watching = world.tests.watch(() => Promise.resolve(void count++), stop.signal);
  // Changes before the start of the watch are not reported, so the file is written until a change is reported.
  const changes = async (change: () => Promise<void>) => {
    const before = count;
    let isReported = false;
    const writing = (async () => {
      while (!isReported) {
        await change();
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    })();
    await until(() => count > before, "the change is reported").finally(() => isReported = true);
    await writing;
  };
  await changes(() => world.write("worker/a.yaml", "version: 1\nreplies: [{ text: ho }]\n"));
  await changes(() => world.agent("worker", "description: other"));
  stop.abort();
  await watching;
  assert.ok(count >= 2);
});
