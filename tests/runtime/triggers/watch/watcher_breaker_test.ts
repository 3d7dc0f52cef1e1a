import assert from "node:assert/strict";
import { watches, WatchWorld } from "./watch_world.ts";

/** Long enough for one path not to fire too often in a minute. */
const RUN_MS = 4_000;

/** A change that a run makes by no tool of the agent's; the run goes on until the change is noticed. */
async function causeNext(world: WatchWorld, name: string, round: number): Promise<void> {
  world.write(name, "x".repeat(round));
  const end = world.clock.now() + RUN_MS;
  const isNoticed = async () =>
    world.runs.slice(round).some(({ path }) => path === name) ||
    (await world.queue()).some((one) => one.endsWith(name));
  while (world.clock.now() < end || !await isNoticed()) await world.clock.sleep(1_000);
}

/** A world whose run of `inbox/loop.md` changes that file each time. */
async function openLoop(): Promise<WatchWorld> {
  const world = await WatchWorld.create();
  world.write("inbox/loop.md");
  world.play = async ({ path }) => {
    if (path.endsWith("loop.md")) await causeNext(world, path, world.runs.length);
  };
  return world;
}

Deno.test("Watcher stops a trigger whose runs cause each other; what waits goes on waiting until it is reset", async () => {
  await using world = await openLoop();
  world.write("inbox/other.md");
  await world.watch(
    watches("a"),
    watches("b", { filters: { include: ["other.md"], exclude: [] } }),
  );
  world.write("inbox/loop.md", "it begins");
  await world.until(() => world.tripped.length > 0, "the breaker", { stepMs: 1_000 });
  await world.until(() => world.running.size === 0, "the last run's end", { stepMs: 1_000 });
  assert.equal(world.runs.length, 20);
  assert.match(world.tripped[0] ?? "", /^a: more than 20 runs in a row/);
  assert.match(world.watcher.trippedReason("a") ?? "", /more than 20 runs in a row/);
  assert.equal(world.watcher.trippedReason("b"), null);
  assert.ok(
    world.log.lines.some(({ level, message }) =>
      level === "warn" && /The watch of agent "a" is stopped: .+ Edit the agent/.test(message)
    ),
  );
  assert.equal((await world.queue()).length, 1);
  world.write("inbox/other.md", "changed");
  await world.untilFired("b modified inbox/other.md");
  await world.clock.advance(60_000);
  assert.equal(world.fired("a").length, 20);
  assert.equal(world.tripped.length, 1);
  world.play = () => {};
  world.watcher.reset();
  assert.deepEqual(world.restarted, ["a"]);
  assert.equal(world.watcher.trippedReason("a"), null);
  await world.until(() => world.fired("a").length === 21, "what waited");
  world.watcher.reset();
  assert.deepEqual(world.restarted, ["a"]);
});

Deno.test("Watcher: a burst, twice over, and a stream of new files stop nothing", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/old.md");
  let count = 0;
  world.play = async () => {
    // While this one runs, the next file arrives.
    if (count < 60) world.write(`inbox/stream-${++count}.md`);
    await world.clock.sleep(50);
  };
  await world.watch(watches("a"));
  for (const round of ["first", "second time"]) {
    for (let i = 0; i < 60; i++) world.write(`inbox/burst-${i}.md`, round);
    await world.until(
      () =>
        world.runs.filter(({ path }) => path.includes("burst")).length >=
          (round === "first" ? 60 : 120),
      "the burst",
    );
  }
  await world.until(() => world.runs.length >= 180, "the stream");
  assert.deepEqual(world.tripped, []);
});
