// Tests watched folders with more entries than allowed.
import assert from "node:assert/strict";
import { watches, WatchWorld } from "./watch_world.ts";

const MOST = 20;

async function openWorld(files: number): Promise<WatchWorld> {
  const world = await WatchWorld.create({ mostEntries: MOST });
  world.write("inbox/old.md");
  fill(world, "big", files);
  return world;
}

/** Creates entries in a folder. Of each ten entries, nine are files and one is a folder. */
function fill(world: WatchWorld, folder: string, entries: number): void {
  for (let i = 0; i < entries; i++) {
    if (i % 10 === 0) Deno.mkdirSync(world.path(`${folder}/${i}`), { recursive: true });
    else world.write(`${folder}/${i - i % 10}/file-${i}.md`);
  }
}

const REASON =
  /\/big holds more than 20 files and folders, too many to watch; name smaller folders/;

Deno.test("Watcher stops an agent with too many watched files and logs the reason", async () => {
  await using world = await openWorld(MOST + 1);
  await world.watch(watches("greedy", { paths: ["big", "inbox"] }), watches("a"));
  assert.match(world.stops.reasonOf("greedy") ?? "", REASON);
  assert.match(world.tripped.join(), REASON);
  const [line, ...more] = world.log.lines.filter(({ level }) => level === "warn");
  const expected = /^The watch of agent "greedy" is stopped: .*Edit the agent's file/;
  assert.match(line?.message ?? "", expected);
  assert.deepEqual(more, []);
  world.write("big/0/new.md");
  await world.untilNoticed("inbox/new.md", "a created");
  assert.deepEqual(world.fired("greedy"), []);
  await world.resume();
  assert.deepEqual(world.restarted, [], "only other paths help");
  assert.match(world.stops.reasonOf("greedy") ?? "", REASON);
  await world.watch(watches("greedy"), watches("a"));
  assert.deepEqual(world.restarted, ["greedy"]);
  assert.equal(world.stops.reasonOf("greedy"), null);
  await world.untilNoticed("inbox/newer.md", "greedy created");
});

Deno.test("Watcher watches up to the limit of entries", async () => {
  await using world = await openWorld(MOST - 1);
  await world.watch(watches("a", { paths: ["big"], debounceMs: 0 }));
  await world.untilNoticed("big/0/one.md", "a created");
  assert.equal(world.stops.reasonOf("a"), null);
  world.write("big/0/one-more.md");
  await world.until(() => world.stops.reasonOf("a") !== null, "it stops");
  assert.match(world.stops.reasonOf("a") ?? "", REASON);
});

Deno.test("Watcher does not count ignored folders, link targets, and subfolders of a pattern's folder", async () => {
  await using world = await openWorld(MOST + 1);
  fill(world, "inbox/node_modules", MOST + 1);
  Deno.symlinkSync(world.path("big"), world.path("inbox/link"));
  await world.watch(watches("a"), watches("flat", { paths: ["big/*.md"] }));
  assert.deepEqual(world.tripped, []);
  world.write("inbox/new.md");
  world.write("big/new.md");
  await world.untilFired("a created inbox/new.md", "flat created big/new.md");
});

Deno.test("Watcher reads a large folder that is moved in only up to the limit", async () => {
  await using world = await openWorld(10 * MOST);
  await world.watch(watches("a"));
  Deno.renameSync(world.path("big"), world.path("inbox/big"));
  await world.until(() => world.stops.reasonOf("a") !== null, "it stops");
  assert.deepEqual(world.fired("a"), []);
});
