import assert from "node:assert/strict";
import { watches, WatchWorld } from "./watch_world.ts";

/** Creates files in a folder until one of them starts a run of the agent. */
async function untilFollowed(world: WatchWorld, agentId: string, folder: string): Promise<void> {
  let count = 0;
  await world.until(() => {
    world.write(`${folder}/made-${count++}.md`);
    return world.fired(agentId).some((one) => one.includes(` created ${folder}/made-`));
  }, `${agentId} watches ${folder}`);
}

Deno.test("AgentWatch: an edit during the storing of a change does not queue the change again", async () => {
  await using world = await WatchWorld.watching(
    ["inbox/old.md"],
    watches("keen", { catchUp: "once" }),
  );
  // The store is slow, so the change is not yet in the snapshot when the agent is edited.
  const gate = Promise.withResolvers<void>();
  let isStoring = false;
  const enqueue = world.store.enqueue.bind(world.store);
  world.store.enqueue = async (...wanted) => {
    isStoring = true;
    await gate.promise;
    return await enqueue(...wanted);
  };
  world.write("inbox/new.md");
  await world.until(() => isStoring, "the change is being stored");
  const edited = world.watch(watches("keen", { catchUp: "once", debounceMs: 50 }));
  for (let i = 0; i < 20; i++) await world.clock.advance(50);
  gate.resolve();
  await edited;
  await world.untilFired("keen created inbox/new.md");
  await world.expectFired(["inbox"], "keen created inbox/new.md");
});

Deno.test("AgentWatch: a watch that fails to open is opened later", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/old.md");
  const readSeen = world.store.readSeen.bind(world.store);
  let failures = 1;
  world.store.readSeen = (id) =>
    id === "unlucky" && failures-- > 0 ? Promise.reject(new Error("disk full")) : readSeen(id);
  await world.watch(watches("unlucky"), watches("lucky"));
  assert.ok(
    world.log.lines.some(({ message, fields }) =>
      message === "Cannot follow what is watched; tried again soon" && fields["agent"] === "unlucky"
    ),
  );
  await world.untilNoticed("inbox/1.md", "lucky created");
  await world.clock.advance(10_000);
  await untilFollowed(world, "unlucky", "inbox");
  assert.ok(!world.fired("unlucky").includes("unlucky created inbox/1.md"));
});

Deno.test("AgentWatch: a failed edit leaves the watch unchanged, and is applied later", async () => {
  await using world = await WatchWorld.watching(["inbox/old.md", "other/old.md"], watches("keen"));
  const readSeen = world.store.readSeen.bind(world.store);
  let failures = 1;
  world.store.readSeen = (id) =>
    failures-- > 0 ? Promise.reject(new Error("disk full")) : readSeen(id);
  await world.watch(watches("keen", { paths: ["inbox", "other"] }));
  await world.untilNoticed("inbox/1.md", "keen created");
  await world.clock.advance(10_000);
  await untilFollowed(world, "keen", "other");
  const again = world.fired().filter((one) => one === "keen created inbox/1.md");
  assert.equal(again.length, 1);
});
