import assert from "node:assert/strict";
import { FailingDisk } from "./failing_disk.ts";
import { WatchWorld } from "./watch_world.ts";

function warnings(world: WatchWorld): string[] {
  return world.log.lines.map(({ message }) => message).filter((line) =>
    line.startsWith("Cannot read")
  );
}

Deno.test("Watcher: a new folder that cannot be read for a while fires for its files as soon as it can", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/first.md");
  await world.watch(world.agent("a"));
  using disk = new FailingDisk(world.path("inbox/new"));
  world.write("inbox/new/deep/b.md");
  await world.until(() => disk.failures > 0, "a look at the new folder");
  await world.settled("inbox");
  assert.deepEqual(world.fired(), []);
  disk.heal();
  await world.untilFired("a created inbox/new/deep/b.md");
  world.write("inbox/new/deep/c.md");
  await world.untilFired("a created inbox/new/deep/c.md");
  assert.equal(world.runs.length, 2);
});

Deno.test("Watcher: a known folder that cannot be read is said once, and nothing in it counts as deleted", async () => {
  await using world = await WatchWorld.create();
  for (const name of ["same", "changed", "removed"]) world.write(`inbox/sub/${name}.md`);
  await world.watch(world.agent("a"));
  using disk = new FailingDisk(world.path("inbox/sub"), world.path("inbox"));
  // Made without a folder's being read: everything is looked at, because many events came.
  for (let i = 0; i < 400; i++) world.write("inbox/busy.md");
  await world.until(() => disk.failures > 3, "looks that fail");
  await world.clock.advance(300_000);
  world.runs.length = 0;
  assert.equal(warnings(world).length, 1);
  Deno.removeSync(world.path("inbox/sub/removed.md"));
  world.write("inbox/sub/changed.md", "changed");
  disk.heal();
  await world.untilFired("a deleted inbox/sub/removed.md", "a modified inbox/sub/changed.md");
  await world.settled("inbox");
  assert.equal(world.runs.length, 2);
});

for (const unread of ["inbox/sub", "inbox", "inbox/sub/same.md"]) {
  Deno.test(`Watcher: what is in ${unread}, which cannot be read at the start, is no news when it can`, async () => {
    await using world = await WatchWorld.create();
    for (const name of ["same", "other"]) world.write(`inbox/sub/${name}.md`);
    using disk = new FailingDisk(world.path(unread));
    await world.watch(world.agent("a"), world.agent("keen", { catchUp: "once" }));
    assert.equal(warnings(world).length, 1);
    disk.heal();
    await world.clock.advance(120_000);
    await world.settled("inbox", "inbox/sub");
    assert.deepEqual(world.fired(), []);
    world.write("inbox/sub/same.md", "changed");
    await world.untilFired("a modified inbox/sub/same.md", "keen modified inbox/sub/same.md");
    await world.close();
    world.write("inbox/sub/other.md", "changed while down");
    world.open();
    await world.watch(world.agent("keen", { catchUp: "once" }));
    await world.untilFired("keen modified inbox/sub/other.md");
    await world.settled("inbox", "inbox/sub");
    assert.equal(world.runs.length, 3);
  });

  Deno.test(`Watcher: with catch_up what changed in ${unread} while the service was down fires when it can be read`, async () => {
    await using world = await WatchWorld.create();
    for (const name of ["same", "other", "changed", "removed"]) {
      world.write(`inbox/sub/${name}.md`);
    }
    const agent = world.agent("keen", { catchUp: "once" });
    await world.watch(agent);
    await world.close();
    world.write("inbox/sub/changed.md", "changed while down");
    Deno.removeSync(world.path("inbox/sub/removed.md"));
    world.write("inbox/sub/new.md");
    world.open();
    using disk = new FailingDisk(world.path(unread));
    await world.watch(agent);
    await world.clock.advance(10_000);
    assert.ok(disk.failures > 0);
    // A reload while it cannot be read changes nothing.
    await world.watch(world.agent("keen", { catchUp: "once", debounceMs: 600 }));
    await world.clock.advance(10_000);
    const isFolder = !unread.endsWith(".md");
    if (isFolder) assert.deepEqual(world.fired(), []);
    disk.heal();
    const expected = [
      "keen created inbox/sub/new.md",
      "keen deleted inbox/sub/removed.md",
      "keen modified inbox/sub/changed.md",
    ];
    await world.untilFired(...expected);
    await world.settled("inbox", "inbox/sub");
    assert.deepEqual(world.fired().sort(), expected);
  });
}

Deno.test("Watcher: with catch_up a folder that vanishes before it could be read counts as deleted", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/sub/a.md");
  const agent = world.agent("keen", { catchUp: "once" });
  await world.watch(agent);
  await world.restart();
  using _disk = new FailingDisk(world.path("inbox/sub"));
  await world.watch(agent);
  await world.clock.advance(10_000);
  assert.deepEqual(world.fired(), []);
  Deno.removeSync(world.path("inbox/sub"), { recursive: true });
  await world.untilFired("keen deleted inbox/sub/a.md");
});

Deno.test("Watcher: what becomes readable in a folder is watched anew", async () => {
  const opened: string[] = [];
  await using world = await WatchWorld.create({
    openEvents: (folder, options) => {
      opened.push(folder);
      return Deno.watchFs(folder, options);
    },
  });
  world.write("inbox/sub/a.md");
  using disk = new FailingDisk(world.path("inbox/sub"));
  await world.watch(world.agent("a"));
  assert.equal(opened.length, 1);
  disk.heal();
  await world.until(() => opened.length === 2, "another watch");
  await world.settled("inbox/sub");
  assert.deepEqual(world.fired(), []);
});
