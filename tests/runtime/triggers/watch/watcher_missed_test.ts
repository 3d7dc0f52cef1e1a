import assert from "node:assert/strict";
import type { OpenRun } from "../../../../runtime/triggers/watch/watch_store.ts";
import { watches, WatchWorld } from "./watch_world.ts";

/** Opens a watcher whose runs end on another machine. No event reports an end, but the store has the states of the runs. */
async function openWorld(): Promise<{ world: WatchWorld; open: () => OpenRun[] }> {
  const world = await WatchWorld.create();
  world.play = () => new Promise<void>(() => {});
  const open = () =>
    [...world.running.values()].map(({ id, path }) => (
      { executionId: id, path: world.path(path), isRunning: true }
    ));
  world.store.readOpenRuns = () => Promise.resolve(open());
  world.write("inbox/old.md");
  await world.watch(watches("a"));
  return { world, open };
}

Deno.test("Watcher.resync() notices runs whose wait, continuation or end was not reported", async () => {
  const { world, open } = await openWorld();
  await using _world = world;
  for (const name of ["1", "2", "3", "4"]) world.write(`inbox/${name}.md`);
  await world.until(() => world.runs.length === 4, "four runs");
  world.store.readOpenRuns = () =>
    Promise.resolve(
      open().map((run) => ({ ...run, isRunning: run.path !== world.path("inbox/1.md") })),
    );
  world.watcher.resync();
  await world.untilNoticed("inbox/5.md", "a created");
  world.store.readOpenRuns = () => Promise.resolve(open());
  world.watcher.resync();
  for (const run of world.runs.filter(({ path }) => path === "inbox/5.md")) {
    world.publish("execution_completed", run);
  }
  world.write("inbox/1.md", "again");
  world.write("inbox/6.md");
  await world.untilQueued(2);
  world.watcher.resync();
  await world.clock.advance(10_000);
  assert.equal(world.runs.length, 5, "four of them go on");
  world.running.clear();
  world.watcher.resync();
  await world.untilFired("a modified inbox/1.md", "a created inbox/6.md");
  assert.equal(world.runs.length, 7);
});

Deno.test("Watcher.resync() starts runs after a missed continuation of the conversation", async () => {
  await using world = await WatchWorld.watching(["inbox/old.md"], watches("a"));
  let isWaiting = true;
  world.answer = () => isWaiting ? { outcome: "waiting" } : undefined;
  world.write("inbox/1.md");
  await world.untilQueued(1);
  isWaiting = false;
  world.watcher.resync();
  await world.untilFired("a created inbox/1.md");
});
