import assert from "node:assert/strict";
import { FakeFolderEvents } from "../../folders/fake_folder_events.ts";
import { watches, WatchWorld } from "./watch_world.ts";

Deno.test("Watcher fires for a missing folder, file or pattern folder when it appears", async () => {
  await using world = await WatchWorld.watching(
    [],
    watches("a", { paths: ["inbox/deep"] }),
    watches("file", { paths: ["notes/todo.md"] }),
    watches("glob", { paths: ["notes/*.txt"] }),
  );
  assert.equal(world.watcher.active, false);
  world.write("inbox/deep/1.md");
  world.write("inbox/deep/er/2.md");
  await world.untilFired("a created inbox/deep/1.md", "a created inbox/deep/er/2.md");
  assert.equal(world.watcher.active, true);
  await world.untilNoticed("inbox/deep/3.md", "a created");
  for (const name of ["other.md", "todo.md", "a.txt"]) world.write(`notes/${name}`);
  await world.untilFired("file created notes/todo.md", "glob created notes/a.txt");
  await world.untilNoticed("notes/todo.md", "file modified");
  await world.expectRuns(6, "inbox/deep");
});

Deno.test("Watcher watches each path that braces expand to", async () => {
  await using world = await WatchWorld.watching(
    ["archive/new/old.md"],
    watches("a", { paths: ["{inbox,archive/new}/*.md"] }),
    watches("whole", { paths: ["{inbox,archive/new}"] }),
  );
  world.write("inbox/1.md");
  world.write("inbox/1.txt");
  world.write("inbox/deep/1.md");
  world.write("archive/new/2.md");
  world.write("archive/3.md");
  await world.untilFired(
    "a created inbox/1.md",
    "a created archive/new/2.md",
    "whole created inbox/1.txt",
    "whole created inbox/deep/1.md",
    "whole created archive/new/2.md",
  );
  await world.settled("inbox", "archive/new");
  assert.equal(world.fired("a").length, 2);
  assert.equal(world.fired("whole").length, 4);
});

Deno.test("Watcher fires for the differences after a missing watched folder is back, and not before", async () => {
  await using world = await WatchWorld.create();
  for (const name of ["same", "changed", "removed"]) world.write(`inbox/sub/${name}.md`);
  await world.watch(watches("a"));
  Deno.renameSync(world.path("inbox"), world.path("away"));
  await world.until(() => !world.watcher.active, "the folder is gone");
  await world.clock.advance(10_000);
  world.write("away/sub/changed.md", "something else");
  world.write("away/sub/new.md");
  Deno.removeSync(world.path("away/sub/removed.md"));
  assert.deepEqual(world.fired(), []);
  Deno.renameSync(world.path("away"), world.path("inbox"));
  await world.untilFired(
    "a modified inbox/sub/changed.md",
    "a created inbox/sub/new.md",
    "a deleted inbox/sub/removed.md",
  );
  await world.untilNoticed("inbox/sub/later.md", "a created");
  await world.expectRuns(4, "inbox");
});

Deno.test("Watcher fires for the differences after a folder is removed and created again at once", async () => {
  await using world = await WatchWorld.watching(["inbox/a.md", "inbox/sub/b.md"], watches("a"));
  Deno.removeSync(world.path("inbox"), { recursive: true });
  world.write("inbox/sub/b.md", "b again");
  await world.untilFired("a deleted inbox/a.md", "a modified inbox/sub/b.md");
  await world.untilNoticed("inbox/sub/c.md", "a created");
});

Deno.test("Watcher notices files in folders that are created with all their parents at once", async () => {
  await using world = await WatchWorld.create();
  Deno.mkdirSync(world.path("inbox"));
  await world.watch(watches("a"));
  const names = Array.from({ length: 8 }, (_, i) => `inbox/${i}/x/y/z/file.md`);
  for (const name of names) world.write(name);
  await world.untilFired(...names.map((name) => `a created ${name}`));
  for (const name of names) world.write(name.replace("file", "later"));
  await world.untilFired(...names.map((name) => `a created ${name.replace("file", "later")}`));
  await world.expectRuns(16, "inbox");
});

Deno.test("Watcher reports a folder's files as moved, or as deleted if the folder leaves", async () => {
  await using world = await WatchWorld.watching(
    ["inbox/one/a.md", "inbox/one/sub/b.md"],
    watches("a"),
  );
  Deno.renameSync(world.path("inbox/one"), world.path("inbox/two"));
  await world.untilFired("a moved inbox/two/a.md", "a moved inbox/two/sub/b.md");
  await world.untilNoticed("inbox/two/sub/c.md", "a created");
  Deno.renameSync(world.path("inbox/two"), world.path("out"));
  await world.untilFired("a deleted inbox/two/a.md", "a deleted inbox/two/sub/b.md");
  Deno.renameSync(world.path("out"), world.path("inbox/three"));
  await world.untilFired("a created inbox/three/a.md");
  await world.untilNoticed("inbox/three/sub/d.md", "a created");
});

Deno.test("Watcher finds every file once after the system has lost events", async () => {
  const source = new FakeFolderEvents();
  await using world = await WatchWorld.create({ openEvents: source.open });
  world.write("inbox/old.md");
  world.write("inbox/gone.md");
  await world.watch(watches("a"));
  world.write("inbox/new.md");
  world.write("inbox/x/y/deep.md");
  world.write("inbox/old.md", "changed without a word");
  Deno.removeSync(world.path("inbox/gone.md"));
  source.tell({ kind: "any", paths: [], flag: "rescan" });
  await world.untilFired(
    "a created inbox/new.md",
    "a created inbox/x/y/deep.md",
    "a modified inbox/old.md",
    "a deleted inbox/gone.md",
  );
  source.tell({ kind: "any", paths: [], flag: "rescan" });
  source.tell({ kind: "create", paths: [world.path("inbox/new.md")] });
  source.tell({ kind: "modify", paths: [world.path("inbox/old.md")] });
  await world.clock.advance(10_000);
  assert.equal(world.runs.length, 4);
});

Deno.test("Watcher scans everything after a burst, because the system silently drops events", async () => {
  const source = new FakeFolderEvents();
  await using world = await WatchWorld.create({ openEvents: source.open });
  world.write("inbox/old.md");
  world.write("other/old.md");
  await world.watch(watches("a"), watches("b", { paths: ["other"] }));
  const names = Array.from({ length: 330 }, (_, i) => `inbox/${i}.md`);
  for (const name of names) world.write(name);
  world.write("other/new.md");
  // The system does not report all of these changes, and no change in the other folder.
  for (const name of names.slice(0, 310)) {
    source.tell({ kind: "create", paths: [world.path(name)] });
  }
  await world.until(() => world.fired("a").length >= 330, "all files");
  await world.untilFired("b created other/new.md");
  assert.equal(world.fired("a").length, 330);
});

Deno.test("Watcher does not fire when files are read", async () => {
  const source = new FakeFolderEvents();
  await using world = await WatchWorld.create({ openEvents: source.open });
  world.write("inbox/old.md");
  await world.watch(watches("a"));
  world.write("inbox/old.md", "changed");
  source.tell({ kind: "access", paths: [world.path("inbox/old.md")] });
  await world.clock.advance(10_000);
  assert.deepEqual(world.fired(), []);
});

for (const limit of ["OS file watch limit reached.", "Too many open files (os error 24)"]) {
  Deno.test(`Watcher scans at intervals after the failure "${limit}", and logs the remedy`, async () => {
    const source = new FakeFolderEvents();
    source.failure = new Error(`${limit} about ["/x"]`);
    await using world = await WatchWorld.create({ openEvents: source.open });
    world.write("inbox/old.md");
    world.write("other/old.md");
    await world.watch(watches("a"), watches("b", { paths: ["other"] }));
    const warnings = () => world.log.lines.filter(({ level }) => level === "warn");
    assert.equal(warnings().length, 1);
    assert.match(warnings()[0]?.message ?? "", /Cannot watch .+ no file watches left/);
    if (Deno.build.os === "linux") {
      const expected =
        /sysctl fs\.inotify\.max_user_watches=\d+ fs\.inotify\.max_user_instances=\d+/;
      assert.match(warnings()[0]?.message ?? "", expected);
    }
    world.write("inbox/new.md");
    world.write("other/new.md");
    await world.untilFired("a created inbox/new.md", "b created other/new.md");
    source.failure = undefined;
    await world.until(() => source.folders.length === 2, "the folders are watched", {
      stepMs: 2_000,
    });
    assert.equal(warnings().length, 1);
    assert.ok(world.log.lines.some(({ message }) => /can be watched again/.test(message)));
    world.write("inbox/told.md");
    source.tell({ kind: "create", paths: [world.path("inbox/told.md")] });
    await world.untilFired("a created inbox/told.md");
  });
}

Deno.test("Watcher reopens a watch that failed to open completely, and misses no change", async () => {
  const source = new FakeFolderEvents();
  await using world = await WatchWorld.create({ openEvents: source.open });
  world.write("inbox/old.md");
  await world.watch(watches("a"));
  world.write("inbox/new.md");
  source.failAll(new Error("the system said no"));
  await world.untilFired("a created inbox/new.md");
  await world.until(() => source.folders.length === 1, "it is watched again", { stepMs: 2_000 });
});

Deno.test("Watcher requests one system watch for the same or nested folders", async () => {
  const source = new FakeFolderEvents();
  await using world = await WatchWorld.create({ openEvents: source.open });
  world.write("inbox/sub/old.md");
  world.write("other/old.md");
  const inner = watches("inner", { paths: ["inbox/sub"] });
  await world.watch(inner, watches("twin", { paths: ["inbox/sub", "other"] }));
  assert.deepEqual(source.folders, [world.path("inbox/sub"), world.path("other")]);
  await world.watch(inner, watches("outer", { paths: ["inbox"] }));
  await world.until(() => source.folders.length === 1, "the outer one alone");
  assert.deepEqual(source.folders, [world.path("inbox")]);
  await world.watch(inner);
  await world.until(() => source.folders[0] === world.path("inbox/sub"), "the inner one alone");
  await world.watch();
  await world.until(() => source.folders.length === 0, "none");
  assert.equal(world.clock.sleeping, 0, "without watches nothing is waited for");
});
