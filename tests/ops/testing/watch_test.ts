// Cases are played again when a file of theirs, or of an agent, changes.
import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { createTestedWorkspace } from "./tested_workspace.ts";

Deno.test("watch: a changed case and a changed agent are told, until the signal ends it", async () => {
  await using world = await createTestedWorkspace();
  await world.agent("worker");
  await world.write("worker/a.yaml", "version: 1\nreplies: [{ text: hi }]\n");
  const stop = new AbortController();
  let count = 0;
  const watching = world.tests.watch(() => Promise.resolve(void count++), stop.signal);
  // A change from before the watch began is never reported: the file is written until a change is.
  const changes = async (change: () => Promise<void>) => {
    const before = count;
    let isTold = false;
    const writing = (async () => {
      while (!isTold) {
        await change();
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    })();
    await until(() => count > before, "the change is told").finally(() => isTold = true);
    await writing;
  };
  await changes(() => world.write("worker/a.yaml", "version: 1\nreplies: [{ text: ho }]\n"));
  await changes(() => world.agent("worker", "description: other"));
  stop.abort();
  await watching;
  assert.ok(count >= 2);
});
