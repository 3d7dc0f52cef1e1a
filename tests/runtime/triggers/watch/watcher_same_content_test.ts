import assert from "node:assert/strict";
import { watches, WatchWorld } from "./watch_world.ts";

const AGENTS = [
  watches("a"),
  watches("all", { sameContent: true }),
  watches("later", { catchUp: "once" }),
];
const NOTE = "inbox/note.md";

/** Ways to rewrite a file without changing its content. */
const REWRITES: Readonly<Record<string, (path: string) => void>> = {
  touch: (path) => Deno.utimeSync(path, 1_000, 1_000),
  write: (path) => Deno.writeTextFileSync(path, Deno.readTextFileSync(path)),
  replace(path) {
    Deno.writeTextFileSync(`${path}.part`, Deno.readTextFileSync(path));
    Deno.renameSync(`${path}.part`, path);
  },
};

Deno.test("Watcher ignores a file rewritten with the same content, unless same_content is true", async () => {
  await using world = await WatchWorld.watching([NOTE], ...AGENTS);
  const surveyed = async () => (await world.store.readDigests("later")).length === 1;
  await world.until(surveyed, "the digest of the file that was there");
  const path = world.path(NOTE);
  for (const rewrite of Object.values(REWRITES)) {
    rewrite(path);
    await world.expectFired(["inbox"], `all modified ${NOTE}`);
    world.runs.length = 0;
  }
  await world.until(
    () => world.watcher.notes("a").passedOver?.count === 3,
    "the third is passed over",
  );
  assert.equal(world.watcher.notes("a").passedOver?.path, path);
  assert.deepEqual(world.watcher.notes("all"), {});
  world.write(NOTE, "else");
  await world.untilFired(...AGENTS.map(({ id }) => `${id} modified ${NOTE}`));
  world.runs.length = 0;
  REWRITES["write"]?.(path);
  await world.expectFired(["inbox"], `all modified ${NOTE}`);
  world.runs.length = 0;
  await world.close();
  REWRITES["replace"]?.(path);
  await world.start(...AGENTS);
  await world.expectFired(["inbox"]);
  await world.close();
  world.write(NOTE, "something");
  await world.start(...AGENTS);
  await world.untilFired(`later modified ${NOTE}`);
});

Deno.test("Watcher fires for a touched file above 16 MB, and for restored content", async () => {
  await using world = await WatchWorld.watching([], watches("a"));
  Deno.mkdirSync(world.path("inbox"));
  world.write("inbox/large.bin", "x".repeat(16 * 1_024 * 1_024 + 1));
  await world.untilFired("a created inbox/large.bin");
  REWRITES["touch"]?.(world.path("inbox/large.bin"));
  await world.untilFired("a modified inbox/large.bin");
  for (const content of ["one", "two", "one"]) {
    const before = world.runs.length;
    world.write(NOTE, content);
    await world.until(() => world.runs.length > before, content);
  }
});
