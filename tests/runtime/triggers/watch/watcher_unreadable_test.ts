import assert from "node:assert/strict";
import { settle } from "../../../support/test_clock.ts";
import { FailingDisk } from "./failing_disk.ts";
import { watches, WatchWorld } from "./watch_world.ts";

function warnings(world: WatchWorld): string[] {
  return world.log.lines.map(({ message }) => message).filter((line) =>
    line.startsWith("Cannot read")
  );
}

Deno.test("Watcher: a new, unreadable folder fires for its files once it can be read", async () => {
  await using world = await WatchWorld.watching(["inbox/first.md"], watches("a"));
  using disk = new FailingDisk(world.path("inbox/new"));
  world.write("inbox/new/deep/b.md");
  await world.until(() => disk.failures > 0, "a look at the new folder");
  await world.expectFired(["inbox"]);
  disk.heal();
  await world.untilFired("a created inbox/new/deep/b.md");
  await world.untilNoticed("inbox/new/deep/c.md", "a created");
  assert.equal(world.runs.length, 2);
});

Deno.test("Watcher logs once that a folder becomes unreadable, and reports no deleted files", async () => {
  await using world = await WatchWorld.create();
  for (const name of ["same", "changed", "removed"]) world.write(`inbox/sub/${name}.md`);
  await world.watch(watches("a"));
  using disk = new FailingDisk(world.path("inbox/sub"), world.path("inbox"));
  // After so many events the watcher scans everything, also the folders without events.
  for (let i = 0; i < 310; i++) world.write("inbox/busy.md");
  await world.until(() => disk.failures > 3, "looks that fail");
  await world.clock.advance(20_000);
  world.runs.length = 0;
  assert.equal(warnings(world).length, 1);
  Deno.removeSync(world.path("inbox/sub/removed.md"));
  world.write("inbox/sub/changed.md", "changed");
  disk.heal();
  await world.untilFired("a deleted inbox/sub/removed.md", "a modified inbox/sub/changed.md");
  await world.expectRuns(2, "inbox");
});

Deno.test("Watcher: a folder that becomes readable is watched again", async () => {
  const opened: string[] = [];
  await using world = await WatchWorld.create({
    openEvents: (folder, options) => {
      opened.push(folder);
      return Deno.watchFs(folder, options);
    },
  });
  world.write("inbox/sub/a.md");
  using disk = new FailingDisk(world.path("inbox/sub"));
  await world.watch(watches("a"));
  assert.equal(opened.length, 1);
  disk.heal();
  await world.until(() => opened.length === 2, "another watch");
  await world.expectFired(["inbox/sub"]);
});

Deno.test("Watcher does not fire for old files that become readable step by step", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/sub/deep/old.md");
  world.write("inbox/sub/x.md");
  using disk = new FailingDisk(
    ...["inbox/sub", "inbox/sub/deep", "inbox/sub/x.md"].map((name) => world.path(name)),
  );
  await world.watch(watches("a"), watches("keen", { catchUp: "once" }));
  disk.failing.delete(world.path("inbox/sub"));
  await world.clock.advance(10_000);
  disk.heal();
  await world.untilRead("keen");
  await world.settled("inbox", "inbox/sub/deep");
  await world.restart(watches("keen", { catchUp: "once" }));
  await world.expectFired(["inbox", "inbox/sub/deep"]);
});

for (const [what, paths] of [["folder", ["inbox"]], ["file", ["inbox/old.md"]]] as const) {
  Deno.test(`Watcher logs a watched ${what} that is unreachable at the start, and never fires`, async () => {
    await using world = await WatchWorld.create();
    world.write("inbox/old.md");
    const agents = [
      watches("a", { paths: [...paths] }),
      watches("keen", { paths: [...paths], catchUp: "once" }),
    ];
    {
      using disk = new FailingDisk();
      disk.unreachable.add(world.path(paths[0]));
      await world.watch(...agents);
      await world.clock.advance(10_000);
      const told = world.log.lines.filter(({ message }) => message.startsWith("Cannot tell what"));
      assert.equal(told.length, 1);
      disk.heal();
      await world.untilRead("keen");
    }
    await world.untilNoticed("inbox/old.md", "a modified", "keen modified");
    await world.restart(...agents);
    await world.clock.advance(10_000);
    assert.equal(world.runs.length, 2);
  });
}

Deno.test("Watcher always pauses before it reopens a watch after read failures", async () => {
  let opened = 0;
  await using world = await WatchWorld.create({
    openEvents: (folder, options) => {
      opened++;
      return Deno.watchFs(folder, options);
    },
  });
  for (let i = 0; i < 24; i++) world.write(`inbox/s${i % 12}/${i}.md`);
  await world.watch(watches("a"));
  using disk = new FailingDisk();
  disk.failsByChance = (path) => path.includes("/s") && disk.reads % 3 === 0;
  for (let i = 0; i < 24; i++) world.write(`inbox/s${i % 12}/${i}.md`, "changed");
  for (let i = 0; i < 12; i++) world.write(`inbox/s-new${i}/${i}.md`);
  await world.until(() => disk.failures > 0, "failures");
  for (let i = 0; i < 100; i++) await settle();
  const [before, lines] = [opened, world.log.lines.length];
  for (let i = 0; i < 100; i++) await settle();
  assert.ok(opened - before <= 2, `${opened - before} more watches while no time passed`);
  assert.ok(world.log.lines.length - lines <= 4, "the log fills while no time passes");
  disk.failsByChance = () => false;
  await world.clock.advance(70_000);
  await world.untilFired("a modified inbox/s0/0.md", "a created inbox/s-new11/11.md");
});

Deno.test("Watcher retries a newly unreadable path sooner than an old one", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/never/x.md");
  using disk = new FailingDisk(world.path("inbox/never"));
  await world.watch(watches("a"));
  // After two minutes, the pauses between two attempts are the longest.
  await world.clock.advance(130_000);
  disk.failing.add(world.path("inbox/new"));
  const before = disk.failures;
  world.write("inbox/new/b.md");
  await world.until(() => disk.failures > before, "a look");
  disk.failing.delete(world.path("inbox/new"));
  const start = world.clock.now();
  await world.untilFired("a created inbox/new/b.md");
  assert.ok(world.clock.now() - start < 10_000, `${world.clock.now() - start} ms`);
});
