import assert from "node:assert/strict";
import { UNREAD } from "../../runtime/triggers/seen_files.ts";
import { FailingDisk } from "./failing_disk.ts";
import { WatchWorld } from "./watch_world.ts";

Deno.test("Watcher: a folder whose parent is moved away and made anew is followed again", async () => {
  await using world = await WatchWorld.create();
  world.write("data/inbox/a.md");
  await world.watch(world.agent("a", { paths: ["data/inbox"] }));
  await world.clock.advance(100);
  Deno.renameSync(world.path("data"), world.path("old"));
  Deno.mkdirSync(world.path("data/inbox"), { recursive: true });
  Deno.writeTextFileSync(world.path("data/inbox/a.md"), "other");
  await world.clock.advance(10_000);
  world.write("data/inbox/b.md");
  await world.untilFired("a created data/inbox/b.md");
});

Deno.test("Watcher: with catch_up what changed while the service was down fires also where the folder could not be reached for two starts", async () => {
  await using world = await WatchWorld.create();
  for (const n of ["same", "changed", "removed"]) world.write(`inbox/sub/${n}.md`);
  const agent = world.agent("keen", { catchUp: "once" });
  await world.watch(agent);
  await world.close();
  world.write("inbox/sub/changed.md", "changed while down");
  Deno.removeSync(world.path("inbox/sub/removed.md"));
  world.write("inbox/sub/new.md");
  for (let i = 0; i < 2; i++) {
    world.open();
    using disk = new FailingDisk();
    disk.unreachable.add(world.path("inbox"));
    await world.watch(agent);
    await world.clock.advance(5_000);
    if (i === 0) await world.close();
    else {
      disk.heal();
      await world.untilFired(
        "keen created inbox/sub/new.md",
        "keen deleted inbox/sub/removed.md",
        "keen modified inbox/sub/changed.md",
      );
    }
  }
  await world.settled("inbox");
  assert.equal(world.runs.length, 3, world.fired().join());
});

Deno.test("Watcher: a link to a folder that cannot be reached at the start is no news later, also over restarts", async () => {
  await using world = await WatchWorld.create();
  world.write("real/old.md");
  Deno.symlinkSync(world.path("real"), world.path("inbox"));
  const agents = [world.agent("a"), world.agent("keen", { catchUp: "once" })];
  using disk = new FailingDisk();
  disk.unreachable.add(world.path("inbox"));
  await world.watch(...agents);
  await world.close();
  world.open();
  await world.watch(...agents);
  await world.clock.advance(3_000);
  disk.heal();
  await world.untilRead("keen");
  await world.settled("real");
  assert.deepEqual(world.fired(), []);
  world.write("real/new.md");
  await world.untilFired("a created real/new.md", "keen created real/new.md");
  await world.restart();
  await world.watch(...agents);
  await world.clock.advance(5_000);
  world.write("real/new2.md");
  await world.untilFired("keen created real/new2.md");
  assert.equal(world.runs.length, 4);
  Deno.removeSync(world.path("real/old.md"));
  await world.untilFired("keen deleted real/old.md");
});

Deno.test("Watcher: with catch_up a folder that could not be read, and was removed while the service was down, hides nothing that comes later", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/sub/old.md");
  const agent = world.agent("keen", { catchUp: "once" });
  {
    using _d = new FailingDisk(world.path("inbox/sub"));
    await world.watch(agent);
    await world.close();
  }
  Deno.removeSync(world.path("inbox/sub"), { recursive: true });
  world.open();
  await world.watch(agent);
  await world.clock.advance(5_000);
  world.write("inbox/sub/new.md");
  await world.untilFired("keen created inbox/sub/new.md");
  await world.settled("inbox");
  assert.equal(world.runs.length, 1);
});

/** Paths of one agent of which one lies in the other, and what of them cannot be read, or reached, at the start. */
const OVERLAPS: readonly { paths: string[]; unread: string; how: "failing" | "unreachable" }[] = [
  { paths: ["inbox", "inbox/sub"], unread: "inbox/sub", how: "failing" },
  { paths: ["inbox/sub", "inbox"], unread: "inbox", how: "unreachable" },
  { paths: ["inbox/sub/old.md", "inbox"], unread: "inbox/sub/old.md", how: "unreachable" },
  { paths: ["inbox/**/*.md", "inbox/sub/*.md"], unread: "inbox/sub/deep", how: "failing" },
];

for (const { paths, unread, how } of OVERLAPS) {
  Deno.test(`Watcher: of ${paths.join(" and ")} the ${how} ${unread} is no news, and leaves nothing behind in the store`, async () => {
    await using world = await WatchWorld.create();
    world.write("inbox/sub/old.md");
    world.write("inbox/sub/deep/old.md");
    const agents = [
      world.agent("a", { paths }),
      world.agent("keen", { paths, catchUp: "once" }),
    ];
    using disk = new FailingDisk();
    disk[how].add(world.path(unread));
    await world.watch(...agents);
    await world.restart();
    await world.watch(...agents);
    disk.heal();
    await world.untilRead("keen");
    await world.settled("inbox/sub");
    assert.deepEqual(world.fired(), []);
    const seen = await world.store.readSeen("keen");
    assert.ok(![...seen?.values() ?? []].includes(UNREAD), JSON.stringify([...seen ?? []]));
    world.write("inbox/sub/old.md");
    await world.untilFired("a modified inbox/sub/old.md", "keen modified inbox/sub/old.md");
    await world.settled("inbox/sub");
    await world.restart();
    await world.watch(...agents);
    await world.settled("inbox/sub");
    assert.deepEqual(world.fired().sort(), [
      "a modified inbox/sub/old.md",
      "keen modified inbox/sub/old.md",
    ]);
  });
}

for (const catchUp of ["none", "once"] as const) {
  Deno.test(`Watcher: an agent that joins while a known folder cannot be read is not told of changes before it, catch_up ${catchUp}`, async () => {
    await using world = await WatchWorld.create();
    for (const n of ["m", "d"]) world.write(`inbox/sub/${n}.md`);
    await world.watch(world.agent("a"));
    using disk = new FailingDisk(
      world.path("inbox/sub"),
      world.path("inbox/sub/m.md"),
      world.path("inbox/sub/d.md"),
    );
    for (let i = 0; i < 400; i++) world.write("inbox/busy.md");
    await world.until(() => disk.failures > 1, "fails");
    world.write("inbox/sub/new.md");
    disk.failing.add(world.path("inbox/sub/new.md"));
    world.write("inbox/sub/m.md", "changed");
    Deno.removeSync(world.path("inbox/sub/d.md"));
    await world.clock.advance(5_000);
    await world.settled("inbox");
    world.runs.length = 0;
    await world.watch(world.agent("a"), world.agent("late", { catchUp }));
    await world.clock.advance(1000);
    disk.heal();
    await world.clock.advance(130_000);
    await world.settled("inbox");
    assert.deepEqual(world.fired("late"), []);
  });
}

Deno.test("Watcher: an agent edited to catch up while a new folder cannot be read misses nothing of it later", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/first.md");
  await world.watch(world.agent("a"));
  using disk = new FailingDisk(world.path("inbox/new"));
  world.write("inbox/new/b.md");
  await world.until(() => disk.failures > 0, "a look at the new folder");
  const keen = world.agent("a", { catchUp: "once" });
  await world.watch(keen);
  disk.heal();
  await world.untilFired("a created inbox/new/b.md");
  await world.settled("inbox");
  await world.close();
  world.write("inbox/new/c.md");
  world.open();
  await world.watch(keen);
  await world.clock.advance(5_000);
  await world.settled("inbox");
  assert.deepEqual(world.fired(), ["a created inbox/new/b.md", "a created inbox/new/c.md"]);
});

Deno.test("Watcher: other paths of an agent that catches up, while a new folder cannot be read, miss nothing of it over a restart", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/first.md");
  await world.watch(world.agent("a", { catchUp: "once" }));
  using disk = new FailingDisk(world.path("inbox/new"));
  world.write("inbox/new/b.md");
  await world.until(() => disk.failures > 0, "a look at the new folder");
  const keen = world.agent("a", { catchUp: "once", paths: ["inbox", "other"] });
  await world.watch(keen);
  await world.restart();
  await world.watch(keen);
  disk.heal();
  await world.clock.advance(130_000);
  await world.settled("inbox");
  assert.deepEqual(world.fired(), ["a created inbox/new/b.md"]);
});

Deno.test("Watcher: a folder that becomes readable while an agent is being followed hides nothing that comes later", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/sub/old.md");
  await world.watch(world.agent("other"));
  using disk = new FailingDisk(world.path("inbox/new"));
  world.write("inbox/new/b.md");
  await world.until(() => disk.failures > 0, "look");
  const mark = world.store.markSeen.bind(world.store);
  world.store.markSeen = async (id, files) => {
    await mark(id, files);
    disk.heal();
    await world.clock.advance(65_000);
  };
  const keen = world.agent("keen", { catchUp: "once" });
  await world.watch(world.agent("other"), keen);
  world.store.markSeen = mark;
  await world.close();
  world.write("inbox/new/c.md");
  world.open();
  await world.watch(keen);
  await world.clock.advance(5_000);
  await world.settled("inbox");
  assert.deepEqual(world.fired("keen"), ["keen created inbox/new/c.md"]);
});

Deno.test("Watcher: what happens in a folder below one that cannot be read makes nothing old fire", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/a/old.md");
  world.write("inbox/a/deep/old.md");
  using _disk = new FailingDisk(world.path("inbox"));
  await world.watch(world.agent("none"), world.agent("keen", { catchUp: "once" }));
  world.write("inbox/a/new.md");
  await world.clock.advance(500);
  await world.settled("inbox/a");
  assert.ok(!world.fired().some((f) => f.includes("old")));
});

Deno.test("Watcher: with catch_up what happens in a folder below one that cannot be read makes nothing old fire after a restart", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/a/old.md");
  world.write("inbox/a/deep/old.md");
  const agent = world.agent("keen", { catchUp: "once" });
  await world.watch(agent);
  await world.restart();
  using _disk = new FailingDisk(world.path("inbox"));
  await world.watch(agent);
  world.write("inbox/a/new.md");
  await world.settled("inbox/a");
  assert.deepEqual(world.fired(), ["keen created inbox/a/new.md"]);
});

Deno.test("Watcher: with catch_up a file in a folder that cannot be read is compared with what is remembered", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/old.md");
  world.write("inbox/old2.md");
  const agent = world.agent("keen", { catchUp: "once" });
  await world.watch(agent);
  await world.restart();
  using _disk = new FailingDisk(world.path("inbox"));
  await world.watch(agent);
  Deno.chmodSync(world.path("inbox/old.md"), 0o600);
  world.write("inbox/old2.md", "changed");
  await world.settled("inbox");
  assert.deepEqual(world.fired(), ["keen modified inbox/old2.md"]);
});

Deno.test("Watcher: with catch_up an edit of filters while a folder cannot be read makes nothing old fire", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/sub/old.md");
  const agent = world.agent("keen", { catchUp: "once" });
  await world.watch(agent);
  await world.restart();
  using disk = new FailingDisk(world.path("inbox/sub"));
  await world.watch(agent);
  await world.watch(
    world.agent("keen", { catchUp: "once", filters: { include: ["*.md"], exclude: [] } }),
  );
  disk.heal();
  await world.clock.advance(130_000);
  await world.settled("inbox");
  assert.deepEqual(world.fired(), []);
});

Deno.test("Watcher: a stop while a folder cannot be read stores what is not quiet yet, once", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/sub/old.md");
  world.write("inbox/top.md");
  const agent = world.agent("keen", { catchUp: "once", debounceMs: 5_000 });
  await world.watch(agent);
  await world.restart();
  using disk = new FailingDisk(world.path("inbox/sub"));
  await world.watch(agent);
  await world.clock.advance(300);
  Deno.removeSync(world.path("inbox/top.md"));
  world.write("inbox/n.md");
  await world.clock.advance(500);
  await world.clock.advance(500);
  await world.close();
  assert.deepEqual((await world.queue()).sort(), [
    "keen created inbox/n.md",
    "keen deleted inbox/top.md",
  ]);
  disk.failing.add(world.path("inbox"));
  world.open();
  await world.watch(agent);
  await world.clock.advance(20_000);
  await world.close();
  world.open();
  disk.heal();
  await world.watch(agent);
  await world.clock.advance(20_000);
  await world.settled("inbox");
  assert.deepEqual(world.fired().sort(), ["keen created inbox/n.md", "keen deleted inbox/top.md"]);
});

Deno.test("Watcher: a stop after what is watched has vanished, while a part could not be read, deletes nothing", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/sub/old.md");
  world.write("inbox/top.md");
  const agent = world.agent("keen", { catchUp: "once", debounceMs: 5_000 });
  await world.watch(agent);
  await world.restart();
  using _disk = new FailingDisk(world.path("inbox/sub"));
  await world.watch(agent);
  Deno.removeSync(world.path("inbox"), { recursive: true });
  await world.clock.advance(100);
  await world.close();
  assert.deepEqual(await world.queue(), []);
});
