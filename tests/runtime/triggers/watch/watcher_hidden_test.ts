import assert from "node:assert/strict";
import { UNREAD } from "../../../../runtime/folders/folder_snapshot.ts";
import { FailingDisk } from "./failing_disk.ts";
import { watches, WatchWorld } from "./watch_world.ts";

Deno.test("Watcher with catch_up fires for changes during downtime even after two starts without the folder", async () => {
  await using world = await WatchWorld.create();
  for (const n of ["same", "changed", "removed"]) world.write(`inbox/sub/${n}.md`);
  const agent = watches("keen", { catchUp: "once" });
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
  await world.expectRuns(3, "inbox");
});

Deno.test("Watcher does not fire for a linked folder that was unreachable at the start", async () => {
  await using world = await WatchWorld.create();
  world.write("real/old.md");
  Deno.symlinkSync(world.path("real"), world.path("inbox"));
  const agents = [watches("a"), watches("keen", { catchUp: "once" })];
  using disk = new FailingDisk();
  disk.unreachable.add(world.path("inbox"));
  await world.watch(...agents);
  await world.close();
  await world.start(...agents);
  await world.clock.advance(3_000);
  disk.heal();
  await world.untilRead("keen");
  await world.expectFired(["real"]);
  await world.untilNoticed("real/new.md", "a created", "keen created");
  await world.restart(...agents);
  await world.clock.advance(5_000);
  await world.untilNoticed("real/new2.md", "keen created");
  assert.equal(world.runs.length, 4);
  Deno.removeSync(world.path("real/old.md"));
  await world.untilFired("keen deleted real/old.md");
});

/**
 * Cases of two watched paths of one agent, the second inside the first. A part is unreadable or unreachable at the start.
 */
const OVERLAPS: readonly { paths: string[]; unread: string; how: "failing" | "unreachable" }[] = [
  { paths: ["inbox", "inbox/sub"], unread: "inbox/sub", how: "failing" },
  { paths: ["inbox/sub", "inbox"], unread: "inbox", how: "unreachable" },
  { paths: ["inbox/sub/old.md", "inbox"], unread: "inbox/sub/old.md", how: "unreachable" },
  { paths: ["inbox/**/*.md", "inbox/sub/*.md"], unread: "inbox/sub/deep", how: "failing" },
];

Deno.test("Watcher fires for no old file when an unreadable folder in nested paths becomes readable", async () => {
  await using world = await WatchWorld.create();
  using disk = new FailingDisk();
  const cases = OVERLAPS.map((one, n) => {
    const paths = one.paths.map((path) => `${n}/${path}`);
    disk[one.how].add(world.path(`${n}/${one.unread}`));
    return { paths, folder: `${n}/inbox/sub`, what: `${one.paths} without ${one.unread}` };
  });
  const agents = cases.flatMap(({ paths, folder }) => {
    world.write(`${folder}/old.md`);
    world.write(`${folder}/deep/old.md`);
    return [
      watches(`a of ${folder}`, { paths }),
      watches(`keen of ${folder}`, { paths, catchUp: "once" }),
    ];
  });
  const folders = cases.map(({ folder }) => folder);
  await world.watch(...agents);
  await world.restart(...agents);
  disk.heal();
  for (const folder of folders) await world.untilRead(`keen of ${folder}`);
  await world.expectFired(folders);
  for (const { folder, what } of cases) {
    const seen = await world.store.readSeen(`keen of ${folder}`);
    assert.ok(![...seen?.values() ?? []].includes(UNREAD), what);
    const events = ["a", "keen"].map((agent) => `${agent} of ${folder} modified`);
    await world.untilNoticed(`${folder}/old.md`, ...events);
  }
  await world.settled(...folders);
  await world.restart(...agents);
  const expected = agents.map(({ id }) => `${id} modified ${id.split(" of ")[1]}/old.md`);
  await world.expectFired(folders, ...expected);
});

Deno.test("Watcher with catch_up fires no old files after a filter edit with an unreadable folder", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/sub/old.md");
  const agent = watches("keen", { catchUp: "once" });
  await world.watch(agent);
  await world.restart();
  using disk = new FailingDisk(world.path("inbox/sub"));
  await world.watch(agent);
  const filters = { include: ["*.md"], exclude: [] };
  await world.watch(watches("keen", { catchUp: "once", filters }));
  disk.heal();
  await world.untilRead("keen");
  await world.expectFired(["inbox"]);
});

// Opens a watcher whose agent has a long debounce time, and has been started before.
async function openSlow() {
  const world = await WatchWorld.create();
  world.write("inbox/sub/old.md");
  world.write("inbox/top.md");
  const agent = watches("keen", { catchUp: "once", debounceMs: 5_000 });
  await world.watch(agent);
  await world.restart();
  return { world, agent };
}

Deno.test("Watcher stores pending changes once when it stops while a folder is unreadable", async () => {
  const { world, agent } = await openSlow();
  await using _world = world;
  using disk = new FailingDisk(world.path("inbox/sub"));
  await world.watch(agent);
  await world.clock.advance(300);
  Deno.removeSync(world.path("inbox/top.md"));
  world.write("inbox/n.md");
  await world.clock.advance(500);
  await world.clock.advance(500);
  await world.close();
  const expected = ["keen created inbox/n.md", "keen deleted inbox/top.md"];
  assert.deepEqual((await world.queue()).sort(), expected);
  disk.failing.add(world.path("inbox"));
  await world.start(agent);
  await world.clock.advance(20_000);
  await world.close();
  world.open();
  disk.heal();
  await world.watch(agent);
  await world.clock.advance(20_000);
  await world.expectFired(["inbox"], "keen created inbox/n.md", "keen deleted inbox/top.md");
});

Deno.test("Watcher reports no deletion when it stops after the watched folder was removed", async () => {
  const { world, agent } = await openSlow();
  await using _world = world;
  using _disk = new FailingDisk(world.path("inbox/sub"));
  await world.watch(agent);
  Deno.removeSync(world.path("inbox"), { recursive: true });
  await world.clock.advance(100);
  await world.close();
  assert.deepEqual(await world.queue(), []);
});
