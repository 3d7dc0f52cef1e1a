import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { FakeFolderEvents } from "./fake_folder_events.ts";
import { Listening } from "./listening.ts";

Deno.test("FolderWatches: the end of a listener does not affect other listeners", async () => {
  await using listening = await Listening.create({ folders: ["outer/inner/deep", "other"] });
  const inner = { folder: listening.path("outer/inner") };
  const other = { folder: listening.path("other") };
  await listening.listen("flat", { ...inner, recursive: false });
  const endOuter = await listening.listen("outer");
  const endInner = await listening.listen("inner", inner);
  const endTwin = await listening.listen("twin", inner);
  await listening.listen("other");
  await listening.expect("outer/inner", "flat", "outer", "inner", "twin");
  await listening.expect("outer/inner/deep", "outer", "inner", "twin");
  endInner();
  await listening.expect("outer/inner/deep", "outer", "twin");
  const created = listening.path("outer/inner/new");
  Deno.mkdirSync(created);
  await until(() => listening.heard.get("outer")?.has(created) === true, "the new folder");
  await listening.expect("outer/inner/new", "outer", "twin");
  endOuter();
  // When a later listener receives events, the end of the earlier one has taken effect.
  await listening.listen("late", other);
  await listening.expect("outer/inner/new", "twin");
  await listening.expect("outer/inner", "flat", "twin");
  endTwin();
  await listening.listen("latest", other);
  await listening.expect("outer/inner", "flat");
  await listening.expect("other", "other", "late", "latest");
});

Deno.test("FolderWatches: a folder that is removed and created again is reported again", async () => {
  await using listening = await Listening.create({ folders: ["other"] });
  await listening.listen("other");
  for (let round = 0; round < 3; round++) {
    Deno.removeSync(listening.path("other"), { recursive: true });
    Deno.mkdirSync(listening.path("other"));
    await until(async () => {
      // A file may be missed until the folder is watched again. The listener must then be asked to scan.
      const path = listening.path(`other/${crypto.randomUUID()}`);
      await Deno.writeTextFile(path, "");
      await listening.clock.advance(100);
      return listening.heard.get("other")?.has(path) === true;
    }, "a file in the new folder");
  }
});

Deno.test("FolderWatches notices without events that a folder was replaced, even with an equal inode", async () => {
  const fake = new FakeFolderEvents();
  let opened = 0;
  await using listening = await Listening.create({
    folders: ["inbox"],
    open: (path, options) => {
      opened++;
      return fake.open(path, options);
    },
  });
  const folder = listening.path("inbox");
  const former = Deno.lstatSync(folder);
  await listening.listen("inbox");
  makeAgain(folder, former);
  await listening.clock.advance(5_000);
  assert.deepEqual([opened, listening.scans], [2, 1]);
  await listening.clock.advance(60_000);
  assert.deepEqual([opened, listening.scans], [2, 1], "it stays the same one");
});

/** Replaces a folder. The new folder has the same inode number, if the file system reuses numbers. */
function makeAgain(folder: string, { ino, birthtime }: Deno.FileInfo): void {
  for (let attempt = 0; attempt < 100; attempt++) {
    Deno.removeSync(folder);
    Deno.mkdirSync(folder);
    const now = Deno.lstatSync(folder);
    if (now.ino === ino && now.birthtime?.getTime() !== birthtime?.getTime()) return;
  }
}

Deno.test("FolderWatches notices without events that a folder is gone or replaced", async () => {
  const fake = new FakeFolderEvents();
  await using listening = await Listening.create({
    folders: ["work/agents"],
    open: (path, options) => {
      Deno.lstatSync(path);
      return fake.open(path, options);
    },
  });
  const { clock, log } = listening;
  const [work, folder] = [listening.path("work"), listening.path("work/agents")];
  await listening.listen("work/agents", { recursive: false });
  await clock.advance(10_000);
  assert.equal(listening.scans, 0);
  await Deno.remove(work, { recursive: true });
  await Deno.writeTextFile(work, "in the way");
  await clock.advance(10_000);
  assert.ok(listening.scans > 1, "it is scanned from time to time");
  assert.deepEqual(fake.folders, []);
  assert.equal(log.lines.filter(({ message }) => message.startsWith("Cannot watch")).length, 1);
  await Deno.remove(work);
  await Deno.mkdir(folder, { recursive: true });
  await clock.advance(70_000);
  assert.deepEqual(fake.folders, [folder]);
  // The folder is moved away and created again immediately.
  const before = listening.scans;
  await Deno.rename(work, listening.path("old"));
  await Deno.mkdir(folder, { recursive: true });
  await clock.advance(5_000);
  assert.ok(listening.scans > before, "it is scanned once more");
});

Deno.test("FolderWatches watches a folder with two paths once, and each listener receives its own path", async () => {
  const fake = new FakeFolderEvents();
  await using listening = await Listening.create({ folders: [], open: fake.open });
  const { root, heard } = listening;
  // A path with two slashes simulates a bind mount: another path of the same folder, without a link.
  const folders = [root, `/${root}`];
  for (const folder of folders) await listening.listen(folder, { folder });
  assert.deepEqual(fake.folders, [root]);
  fake.tell({ kind: "modify", paths: [listening.path("a.md")] });
  await until(() => folders.every((one) => (heard.get(one)?.size ?? 0) > 0), "both hear of it");
  const expected = [[`${root}/a.md`], [`/${root}/a.md`]];
  assert.deepEqual(folders.map((one) => [...heard.get(one) ?? []]), expected);
});

Deno.test("FolderWatches scans a folder that cannot be watched also after the clock was set back", async () => {
  const fake = new FakeFolderEvents();
  fake.failure = new Error("no watches");
  await using listening = await Listening.create({ folders: ["inbox"], open: fake.open });
  await listening.listen("inbox", { scans: true });
  await listening.expect("inbox", "inbox");
  listening.clock.step(-3_600_000);
  await listening.expect("inbox", "inbox");
  await listening.expect("inbox", "inbox");
  fake.failure = undefined;
  await listening.clock.advance(62_000);
  await until(() => fake.folders.length === 1, "the watch");
});
