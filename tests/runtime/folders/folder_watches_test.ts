import assert from "node:assert/strict";
import { join } from "node:path";
import { FolderWatches } from "../../../runtime/folders/folder_watches.ts";
import { LogLines } from "../../support/log_lines.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { FakeFolderEvents } from "./fake_folder_events.ts";

/** Real folders, and who hears what. */
class Hearing implements AsyncDisposable {
  readonly clock = new TestClock();
  readonly watches: FolderWatches;
  readonly heard = new Map<string, Set<string>>();
  #count = 0;
  private constructor(readonly root: string) {
    const probeFolder = join(root, "probe");
    this.watches = new FolderWatches({ clock: this.clock, log: new LogLines(), probeFolder });
  }

  static async open(): Promise<Hearing> {
    const root = await Deno.realPath(await Deno.makeTempDir());
    await Deno.mkdir(join(root, "outer/inner/deep"), { recursive: true });
    await Deno.mkdir(join(root, "other"));
    return new Hearing(root);
  }

  /** Begins to listen; the returned function ends it. */
  async listen(name: string, folder: string, recursive: boolean): Promise<() => void> {
    const heard = new Set<string>();
    this.heard.set(name, heard);
    return await this.watches.watch({ folder: join(this.root, folder), recursive }, {
      changed: (paths) => paths.forEach((path) => heard.add(path)),
      uncertain: () => Promise.resolve(),
    });
  }

  /** Waits until these have heard of a file made now in that folder. */
  async expect(folder: string, ...names: string[]): Promise<void> {
    const path = join(this.root, folder, `file-${++this.#count}`);
    Deno.writeTextFileSync(path, "");
    for (const name of names) {
      await until(() => this.heard.get(name)?.has(path) === true, `${name} hears of ${path}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.watches[Symbol.asyncDispose]();
    await Deno.remove(this.root, { recursive: true });
  }
}

Deno.test("FolderWatches: who stops listening to a folder makes nobody else deaf, above, below or beside", async () => {
  await using hearing = await Hearing.open();
  await hearing.listen("flat", "outer/inner", false);
  const endOuter = await hearing.listen("outer", "outer", true);
  const endInner = await hearing.listen("inner", "outer/inner", true);
  const endTwin = await hearing.listen("twin", "outer/inner", true);
  await hearing.listen("other", "other", true);
  await hearing.expect("outer/inner", "flat", "outer", "inner", "twin");
  await hearing.expect("outer/inner/deep", "outer", "inner", "twin");
  endInner();
  await hearing.expect("outer/inner/deep", "outer", "twin");
  Deno.mkdirSync(join(hearing.root, "outer/inner/new"));
  await until(
    () => hearing.heard.get("outer")?.has(join(hearing.root, "outer/inner/new")) === true,
    "the new folder",
  );
  await hearing.expect("outer/inner/new", "outer", "twin");
  endOuter();
  // What was asked for after that is watched when that has come into force.
  await hearing.listen("late", "other", true);
  await hearing.expect("outer/inner/new", "twin");
  await hearing.expect("outer/inner", "flat", "twin");
  endTwin();
  await hearing.listen("latest", "other", true);
  await hearing.expect("outer/inner", "flat");
  await hearing.expect("other", "other", "late", "latest");
});

Deno.test("FolderWatches: a folder that is removed and made again is heard again", async () => {
  await using hearing = await Hearing.open();
  await hearing.listen("other", "other", true);
  for (let round = 0; round < 3; round++) {
    Deno.removeSync(join(hearing.root, "other"), { recursive: true });
    Deno.mkdirSync(join(hearing.root, "other"));
    await until(async () => {
      // Until it is watched anew, a file may be missed here: who listens is told to look.
      const path = join(hearing.root, "other", crypto.randomUUID());
      await Deno.writeTextFile(path, "");
      // The system does not always report that a folder is gone.
      await hearing.clock.advance(100);
      return hearing.heard.get("other")?.has(path) === true;
    }, "a file in the new folder");
  }
});

Deno.test("FolderWatches notices in silence that a folder was made again, also where it has the number of the old one", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const folder = join(root, "inbox");
  Deno.mkdirSync(folder);
  const former = Deno.lstatSync(folder);
  const [clock, fake] = [new TestClock(), new FakeFolderEvents()];
  {
    let opened = 0;
    await using watches = new FolderWatches({
      clock,
      log: new LogLines(),
      probeFolder: join(root, "probe"),
      open: (path, options) => {
        opened++;
        return fake.open(path, options);
      },
    });
    let looks = 0;
    await watches.watch({ folder, recursive: true }, {
      changed: () => {},
      uncertain: () => {
        looks++;
        return Promise.resolve();
      },
    });
    makeAgain(folder, former);
    await clock.advance(5_000);
    assert.deepEqual([opened, looks], [2, 1]);
    await clock.advance(60_000);
    assert.deepEqual([opened, looks], [2, 1], "it stays the same one");
  }
  await Deno.remove(root, { recursive: true });
});

/** Replaces a folder, by one with its number where the file system gives numbers again. */
function makeAgain(folder: string, { ino, birthtime }: Deno.FileInfo): void {
  for (let attempt = 0; attempt < 100; attempt++) {
    Deno.removeSync(folder);
    Deno.mkdirSync(folder);
    const now = Deno.lstatSync(folder);
    if (now.ino === ino && now.birthtime?.getTime() !== birthtime?.getTime()) return;
  }
}

Deno.test("FolderWatches notices that a folder is gone or another one when the system keeps silent about it", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const folder = join(root, "work/agents");
  await Deno.mkdir(folder, { recursive: true });
  const [clock, log, fake] = [new TestClock(), new LogLines(), new FakeFolderEvents()];
  {
    await using watches = new FolderWatches({
      clock,
      log,
      probeFolder: join(root, "probe"),
      open: (path, options) => {
        Deno.lstatSync(path);
        return fake.open(path, options);
      },
    });
    let looks = 0;
    await watches.watch({ folder, recursive: false }, {
      changed: () => {},
      uncertain: () => {
        looks++;
        return Promise.resolve();
      },
    });
    await clock.advance(10_000);
    assert.equal(looks, 0);
    await Deno.remove(join(root, "work"), { recursive: true });
    await Deno.writeTextFile(join(root, "work"), "in the way");
    await clock.advance(10_000);
    assert.ok(looks > 1, "it is looked at from time to time");
    assert.deepEqual(fake.folders, []);
    assert.equal(log.lines.filter(({ message }) => message.startsWith("Cannot watch")).length, 1);
    await Deno.remove(join(root, "work"));
    await Deno.mkdir(folder, { recursive: true });
    await clock.advance(70_000);
    assert.deepEqual(fake.folders, [folder]);
    // Moved away and made anew, all at once.
    const before = looks;
    await Deno.rename(join(root, "work"), join(root, "old"));
    await Deno.mkdir(folder, { recursive: true });
    await clock.advance(5_000);
    assert.ok(looks > before, "it is looked at once more");
  }
  await Deno.remove(root, { recursive: true });
});

Deno.test(
  "FolderWatches watches a folder once that two paths lead to; each listener hears its own path",
  async () => {
    const root = await Deno.realPath(await Deno.makeTempDir());
    const fake = new FakeFolderEvents();
    {
      await using watches = new FolderWatches({
        clock: new TestClock(),
        log: new LogLines(),
        probeFolder: join(root, "probe"),
        open: fake.open,
      });
      // As with a bind mount: another path, and no link.
      const folders = [root, `/${root}`];
      const heard: string[] = [];
      for (const folder of folders) {
        await watches.watch({ folder, recursive: true }, {
          changed: (paths) => void heard.push(...paths),
          uncertain: () => Promise.resolve(),
        });
      }
      assert.deepEqual(fake.folders, [root]);
      fake.tell({ kind: "modify", paths: [join(root, "a.md")] });
      await until(() => heard.length > 1, "both hear of it");
      assert.deepEqual(heard, folders.map((folder) => `${folder}/a.md`));
    }
    await Deno.remove(root, { recursive: true });
  },
);
