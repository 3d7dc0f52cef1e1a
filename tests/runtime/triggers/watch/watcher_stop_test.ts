import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Agent } from "../../../../runtime/agents/agent.ts";
import { FakeFolderEvents } from "../../folders/fake_folder_events.ts";
import { watches, WatchWorld } from "./watch_world.ts";

/** Stops the service during the scan of a folder, while the watch of an agent opens. */
async function stopWhileLookingAt(world: WatchWorld, folder: string, agent: Agent): Promise<void> {
  const { readDir } = Deno;
  const gate = Promise.withResolvers<void>();
  let isLooking = false;
  Deno.readDir = async function* (path) {
    if (String(path) === world.path(folder)) {
      isLooking = true;
      await gate.promise;
    }
    yield* readDir(path);
  };
  try {
    const watching = world.watch(agent);
    await world.until(() => isLooking, "a look");
    const closing = world.close();
    gate.resolve();
    await closing;
    await watching;
  } finally {
    Deno.readDir = readDir;
  }
}

for (const isKnown of [true, false]) {
  const which = isKnown ? "again" : "for the first time";
  Deno.test(`Watcher with catch_up stores no false changes when it stops during a scan ${which}`, async () => {
    await using world = await WatchWorld.create();
    for (const name of ["1", "2", "3"]) world.write(`inbox/sub/${name}.md`);
    const agent = watches("keen", { catchUp: "once" });
    if (isKnown) {
      await world.watch(agent);
      await world.restart();
    }
    await stopWhileLookingAt(world, "inbox", agent);
    assert.deepEqual(await world.queue(), []);
    assert.deepEqual(world.log.lines.filter(({ level }) => level === "error"), []);
    await world.start(agent);
    await world.expectFired(["inbox"]);
  });
}

Deno.test("Watcher stores no false changes when it stops during the scan of a new folder", async () => {
  await using world = await WatchWorld.create();
  for (const name of ["1", "2"]) {
    world.write(`inbox/${name}.md`);
    world.write(`other/${name}.md`);
  }
  await world.watch(watches("keen", { catchUp: "once" }));
  const edited = watches("keen", { catchUp: "once", paths: ["inbox", "other"] });
  await stopWhileLookingAt(world, "other", edited);
  assert.deepEqual(await world.queue(), []);
  await world.start(edited);
  await world.expectFired(["inbox", "other"]);
});

Deno.test("Watcher keeps earlier changes if an agent is edited while its folder is missing", async () => {
  await using world = await WatchWorld.watching(["inbox/a.md", "inbox/b.md"], watches("a"));
  Deno.removeSync(world.path("inbox/a.md"));
  await world.clock.advance(200);
  Deno.renameSync(world.path("inbox"), world.path("away"));
  await world.clock.advance(5_000);
  await world.watch(watches("a", { debounceMs: 600 }));
  await world.clock.advance(5_000);
  assert.deepEqual(world.fired(), []);
  Deno.renameSync(world.path("away"), world.path("inbox"));
  await world.untilFired("a deleted inbox/a.md");
  await world.expectRuns(1, "inbox");
});

Deno.test("Watcher fires other agents, never the writer, for a write just before a stop", async () => {
  await using world = await WatchWorld.create({ openEvents: new FakeFolderEvents().open });
  world.write("inbox/old.md");
  const agents = [watches("keen", { catchUp: "once" }), watches("other")];
  await world.watch(...agents);
  const path = world.path("inbox/mine.md");
  world.write("inbox/mine.md", "mine");
  const outcome = {
    version: "",
    size: 4,
    sha256: createHash("sha256").update("mine").digest("hex"),
  };
  world.ownWrites.record([{ executionId: 1, agentId: "keen" }], {
    path,
    outcome: Promise.resolve(outcome),
  });
  await world.restart(...agents);
  await world.untilFired("other created inbox/mine.md");
  await world.clock.advance(10_000);
  assert.deepEqual(world.fired(), ["other created inbox/mine.md"]);
});
