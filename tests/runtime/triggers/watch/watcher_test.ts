import assert from "node:assert/strict";
import { join } from "node:path";
import type { WrittenFile } from "../../../../runtime/tools/files/reported_write.ts";
import { watches, WatchWorld } from "./watch_world.ts";

Deno.test("Watcher fires for files that are created, modified, deleted and moved", async () => {
  await using world = await WatchWorld.watching(["inbox/old.md"], watches("a"));
  assert.equal(world.watcher.active, true);
  await world.untilNoticed("inbox/new.md", "a created");
  await world.untilNoticed("inbox/new.md", "a modified");
  Deno.renameSync(world.path("inbox/new.md"), world.path("inbox/newer.md"));
  await world.untilFired("a moved inbox/newer.md");
  Deno.removeSync(world.path("inbox/old.md"));
  await world.untilFired("a deleted inbox/old.md");
  await world.expectFired(
    ["inbox"],
    "a created inbox/new.md",
    "a modified inbox/new.md",
    "a moved inbox/newer.md",
    "a deleted inbox/old.md",
  );
});

Deno.test("Watcher.reconcile() works again after a failed call", async () => {
  await using world = await WatchWorld.watching(["inbox/old.md"], watches("a"));
  const isUnreadable = () => {
    throw new Error("Nobody knows");
  };
  await assert.rejects(world.watcher.reconcile([], { isUnreadable }), /Nobody knows/);
  await world.watch(watches("a"), watches("b"));
  await world.untilNoticed("inbox/new.md", "a created", "b created");
});

const SAVES: Readonly<Record<string, (path: string) => void>> = {
  "a temporary file that is renamed": (path) => {
    Deno.writeTextFileSync(`${path}.tmp123`, "saved by rename");
    Deno.renameSync(`${path}.tmp123`, path);
  },
  "a backup that is renamed, then a new file, as Vim does": (path) => {
    const folder = join(path, "..");
    Deno.writeTextFileSync(join(folder, ".note.md.swp"), "swap");
    Deno.writeTextFileSync(join(folder, "4913"), "");
    Deno.removeSync(join(folder, "4913"));
    Deno.renameSync(path, `${path}~`);
    Deno.writeTextFileSync(path, "saved by Vim");
    Deno.removeSync(`${path}~`);
  },
  "many small writes": (path) => {
    using file = Deno.openSync(path, { write: true, truncate: true });
    for (let i = 0; i < 50; i++) file.writeSync(new TextEncoder().encode(`line ${i}\n`));
  },
  "a file that is removed and made again": (path) => {
    Deno.removeSync(path);
    Deno.writeTextFileSync(path, "made again");
  },
};

Deno.test("Watcher fires one modified event for a save, with any editor's way of saving", async () => {
  const ways = Object.entries(SAVES);
  const files = ways.map((_, n) => `inbox/${n}/note.md`);
  await using world = await WatchWorld.watching(files, watches("a"));
  for (const [n, [what, save]] of ways.entries()) {
    save(world.path(files[n] ?? ""));
    await world.settled("inbox");
    assert.deepEqual(world.fired(), [`a modified ${files[n]}`], what);
    world.runs.length = 0;
  }
});

Deno.test("Watcher starts one run for each of 60 files, at most four at a time", async () => {
  await using world = await WatchWorld.watching(["inbox/old.md"], watches("a"));
  world.play = () => new Promise((resolve) => setTimeout(resolve, 0));
  const names = Array.from({ length: 60 }, (_, i) => `inbox/sub-${i % 7}/file-${i}.md`);
  for (const name of names) world.write(name);
  await world.until(() => world.runs.length >= 60, "60 runs");
  await world.settled("inbox");
  assert.deepEqual(world.fired().sort(), names.map((name) => `a created ${name}`).sort());
  assert.equal(world.mostAtOnce, 4);
  assert.deepEqual(world.tripped, []);
  assert.deepEqual(await world.queue(), []);
});

Deno.test("Watcher never fires the writing agent, even if the event precedes the write's outcome", async () => {
  await using world = await WatchWorld.watching(
    ["inbox/old.md"],
    watches("a", { debounceMs: 0 }),
    watches("b", { debounceMs: 0 }),
  );
  const outcome = Promise.withResolvers<WrittenFile | "removed" | "unchanged">();
  const path = world.path("inbox/mine.md");
  world.ownWrites.record([{ executionId: 0, agentId: "a" }], { path, outcome: outcome.promise });
  world.write("inbox/mine.md", "mine");
  await world.untilFired("b created inbox/mine.md");
  await world.clock.advance(10_000);
  assert.deepEqual(world.fired("a"), []);
  outcome.resolve({
    version: "",
    size: 4,
    // The SHA-256 digest of the text "mine".
    sha256: "3fd30542fe3f61b14bd4a4b2dc0b6fb30fa6f63ebce52dd1778aaa8c4dc02cff",
  });
  await world.settled("inbox");
  assert.deepEqual(world.fired("a"), []);
});

Deno.test("Watcher: two agents on a folder keep firing while one is edited", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/old.md");
  const [a, b] = [watches("a"), watches("b")];
  await world.watch(a, b);
  for (
    const [round, edited] of [
      watches("b", {}, { body: "Another task." }),
      watches("b", { filters: { include: ["*.md"], exclude: [] } }),
      watches("b", { paths: ["inbox", "other"] }),
      watches("b", { paths: ["."] }),
      watches("b", { paths: ["inbox"] }),
    ].entries()
  ) {
    await world.watch(a, edited);
    world.write(`inbox/${round}.md`);
    await world.untilFired(`a created inbox/${round}.md`, `b created inbox/${round}.md`);
    world.write(`inbox/sub${round}/x/y.md`);
    await world.untilFired(`a created inbox/sub${round}/x/y.md`);
  }
  await world.watch(a);
  await world.untilNoticed("inbox/sub0/last.md", "a created");
  await world.settled("inbox");
  assert.ok(!world.fired("b").some((one) => one.endsWith("last.md")));
});

Deno.test("Watcher: an agent's edit keeps changes that wait for the debounce, and fires none twice", async () => {
  await using world = await WatchWorld.watching(
    ["inbox/old.md"],
    watches("a", { debounceMs: 5_000 }),
    watches("b", { debounceMs: 0 }),
  );
  world.write("inbox/new.md");
  await world.until(() => world.fired("b").length === 1, "b has heard of it");
  assert.deepEqual(world.fired("a"), []);
  await world.watch(watches("a", { paths: ["inbox", "elsewhere"], debounceMs: 5_000 }));
  await world.untilFired("a created inbox/new.md");
  await world.settled("inbox");
  assert.deepEqual(world.fired("a"), ["a created inbox/new.md"]);
});

Deno.test("Watcher fires once for a file that is watched twice", async () => {
  await using world = await WatchWorld.watching(
    ["inbox/sub/old.md"],
    watches("a", {
      paths: ["{inbox,inbox/sub}", "inbox/sub/*.md", "inbox/sub/old.md"],
      debounceMs: 0,
    }),
  );
  world.write("inbox/sub/old.md", "changed");
  world.write("inbox/sub/new.md");
  await world.untilFired("a modified inbox/sub/old.md", "a created inbox/sub/new.md");
  await world.expectRuns(2, "inbox/sub");
});

Deno.test("Watcher ignores temporary names of downloads, the agents folder, staged files and filtered files", async () => {
  await using world = await WatchWorld.watching(
    [".git/HEAD"],
    watches("a", { paths: ["."], filters: { include: [], exclude: ["*.log", "private/"] } }),
  );
  const cases = [
    ...["agents/other.md", "agents/_config/tools/x.ts", ".git/HEAD", ".git/objects/ab/cd"],
    ...["node_modules/x/index.js", "note.md~", "debug.log", "private/diary.md"],
    ...["a.pdf.part", ".b.pdf.Ab12Cd", "c.pdf.download/c.pdf", ".cache/d.pdf"],
  ];
  for (const name of cases) world.write(name);
  Deno.symlinkSync("/etc", world.path("link-to-folder"));
  Deno.symlinkSync("/etc/hostname", world.path("link-to-file"));
  await world.untilNoticed("note.md", "a created");
  const renames = {
    "a.pdf.part": "a.pdf",
    ".b.pdf.Ab12Cd": "b.pdf",
    "c.pdf.download/c.pdf": "c.pdf",
  };
  for (const [partial, final] of Object.entries(renames)) {
    Deno.renameSync(world.path(partial), world.path(final));
  }
  const created = ["note.md", "a.pdf", "b.pdf", "c.pdf"].map((name) => `a created ${name}`);
  await world.untilFired(...created);
  await world.expectFired(["."], ...created);
});

Deno.test("Watcher watches ignored folders that paths name, and reports closed folders", async () => {
  await using world = await WatchWorld.watching(
    [".git/hooks/old", "node_modules/x/old.js"],
    watches("path", { paths: [".git"] }),
    watches("glob", { paths: ["**/node_modules/**/*.js"] }),
    watches("filter", { paths: ["."], filters: { include: [".git/HEAD"], exclude: [] } }),
    watches("closed", { paths: ["agents/_config"] }),
  );
  assert.deepEqual(
    world.log.lines.map(({ level, message }) => `${level} ${message}`),
    [`warn Nothing is watched at ${world.path("agents/_config")}: this folder is closed to agents`],
  );
  world.write(".git/HEAD");
  world.write(".git/hooks/new");
  world.write("node_modules/x/new.js");
  world.write("agents/_config/x");
  await world.untilFired(
    "path created .git/HEAD",
    "path created .git/hooks/new",
    "glob created node_modules/x/new.js",
    "filter created .git/HEAD",
  );
  await world.expectRuns(4, ".git");
});

Deno.test("Watcher watches a single file, also after its replacement, and no other file", async () => {
  await using world = await WatchWorld.watching(
    ["notes/todo.md"],
    watches("a", { paths: ["notes/todo.md"] }),
    watches("b", { paths: ["notes"] }),
  );
  for (const content of ["first", "second one"]) {
    world.write("notes/tmp", content);
    Deno.renameSync(world.path("notes/tmp"), world.path("notes/todo.md"));
    world.write("notes/other.md", content);
    const count = world.fired("a").length;
    await world.until(() => world.fired("a").length > count, "a modification");
  }
  Deno.removeSync(world.path("notes/todo.md"));
  // The file returns after both have noticed its removal; otherwise it would be a modified file.
  await world.untilFired("a deleted notes/todo.md", "b deleted notes/todo.md");
  await world.untilNoticed("notes/todo.md", "a created");
  await world.until(() => world.fired("b").includes("b created notes/todo.md"), "b, too");
  assert.deepEqual(world.fired("a"), [
    "a modified notes/todo.md",
    "a modified notes/todo.md",
    "a deleted notes/todo.md",
    "a created notes/todo.md",
  ]);
});
