import assert from "node:assert/strict";
import { LeaseLost } from "../../../../runtime/database/database.ts";
import { until } from "../../../support/until.ts";
import { type PlayedRun, watches, WatchWorld } from "./watch_world.ts";

/** Keeps runs open until the test ends them. */
function holdRuns(world: WatchWorld): { end: (path: string) => void; held: string[] } {
  const ends = new Map<string, () => void>();
  const held: string[] = [];
  world.play = ({ path }) =>
    new Promise((resolve) => {
      held.push(path);
      ends.set(path, resolve);
    });
  return {
    held,
    end(path) {
      const end = ends.get(path);
      assert.ok(end, `${path} is not running`);
      end();
    },
  };
}

function runOf(world: WatchWorld, path: string): PlayedRun {
  const run = world.runs.findLast((one) => one.path === path);
  assert.ok(run);
  return run;
}

Deno.test("Watcher starts one more run after an open run for a path that kept changing", async () => {
  await using world = await WatchWorld.watching(["inbox/note.md"], watches("a"));
  const runs = holdRuns(world);
  await world.untilNoticed("inbox/note.md", "a modified");
  for (const content of ["second", "third one", "the fourth"]) {
    world.write("inbox/note.md", content);
    await world.clock.advance(2_000);
  }
  await world.untilQueued(1);
  assert.equal(world.runs.length, 1);
  runs.end("inbox/note.md");
  await world.until(() => world.runs.length === 2, "the second run");
  runs.end("inbox/note.md");
  await world.until(() => world.running.size === 0, "its end");
  await world.clock.advance(10_000);
  assert.equal(world.runs.length, 2);
  assert.deepEqual(await world.queue(), []);
});

Deno.test("while a run waits for a person, Watcher does not count it toward the limit of parallel runs", async () => {
  await using world = await WatchWorld.watching(["inbox/old.md"], watches("a"));
  const runs = holdRuns(world);
  for (const name of ["1", "2", "3", "4"]) world.write(`inbox/${name}.md`);
  await world.until(() => world.runs.length === 4, "four runs");
  world.publish("execution_waiting", runOf(world, "inbox/1.md"));
  await world.untilNoticed("inbox/5.md", "a created");
  world.publish("execution_resumed", runOf(world, "inbox/1.md"));
  world.write("inbox/6.md");
  runs.end("inbox/2.md");
  await world.untilQueued(1);
  await world.clock.advance(10_000);
  assert.ok(!world.fired().includes("a created inbox/6.md"));
  runs.end("inbox/3.md");
  await world.untilFired("a created inbox/6.md");
  for (const name of ["1", "4", "5", "6"]) runs.end(`inbox/${name}.md`);
});

Deno.test("Watcher: a change that is undone before its run does not fire", async () => {
  await using world = await WatchWorld.watching(["inbox/old.md"], watches("a"));
  world.answer = () => ({ outcome: "waiting" });
  world.write("inbox/1.md");
  world.write("inbox/old.md", "changed");
  await world.untilQueued(2);
  Deno.removeSync(world.path("inbox/1.md"));
  Deno.removeSync(world.path("inbox/old.md"));
  await world.until(
    async () => (await world.queue()).join() === "a deleted inbox/old.md",
    "what was never told of is gone, what was known is deleted",
  );
});

const REFUSALS = [
  { what: "an error", error: new Error("The disk is full"), level: "error" },
  { what: "another machine's change", error: new LeaseLost("watch a"), level: "info" },
] as const;

Deno.test("Watcher retries a failed start without losing changes", async () => {
  for (const { what, error, level } of REFUSALS) {
    await using world = await WatchWorld.watching(["inbox/old.md"], watches("a"));
    let failures = 0;
    world.answer = () => {
      if (failures >= 3) return undefined;
      failures++;
      throw error;
    };
    world.write("inbox/1.md");
    world.write("inbox/2.md");
    await world.until(() => failures > 0, "the first failure");
    await world.untilQueued(2);
    await world.clock.advance(40_000);
    await world.untilFired("a created inbox/1.md", "a created inbox/2.md");
    assert.equal(failures, 3, what);
    const levels = world.log.lines.filter(({ fields }) => fields["error"] === error)
      .map((line) => line.level);
    assert.deepEqual(levels, [level, level, level], what);
  }
});

Deno.test("Watcher starts no run for a file deleted in the queue, even after store failures", async () => {
  await using world = await WatchWorld.watching(["inbox/old.md"], watches("a"));
  world.answer = () => ({ outcome: "waiting" });
  world.write("inbox/brief.md");
  await world.untilQueued(1);
  let failures = 0;
  const enqueue = world.store.enqueue.bind(world.store);
  world.store.enqueue = (...args) => {
    if (failures++ < 2) return Promise.reject(new Error("The disk is full"));
    return enqueue(...args);
  };
  Deno.removeSync(world.path("inbox/brief.md"));
  world.write("inbox/other.md");
  await world.until(() => failures > 2, "the store works again");
  world.answer = () => undefined;
  world.watcher.wake();
  await world.untilFired("a created inbox/other.md");
  await world.expectFired(["inbox"], "a created inbox/other.md");
});

Deno.test("Watcher makes one last attempt to store changes during a stop", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/old.md");
  let failures = 0;
  world.store.enqueue = () => {
    failures++;
    return Promise.reject(new Error("The disk is full"));
  };
  await world.watch(watches("a"));
  world.write("inbox/1.md");
  await world.until(() => failures > 0, "the first failure");
  world.write("inbox/2.md");
  await world.restart();
  assert.ok(
    world.log.lines.some(({ level, message }) =>
      level === "error" && /could not be stored/.test(message)
    ),
  );
});

Deno.test("Watcher starts no second run for a change that another machine has claimed", async () => {
  await using world = await WatchWorld.watching(["inbox/old.md"], watches("a"));
  let claims = 0;
  world.answer = (_agent, cause) => {
    if (cause.type !== "watch" || !cause.path.endsWith("1.md")) return undefined;
    claims++;
    return { outcome: "claimed" };
  };
  world.write("inbox/1.md");
  await world.untilNoticed("inbox/2.md", "a created");
  await world.until(() => claims === 1, "the claim");
  await world.clock.advance(10_000);
  assert.equal(claims, 1);
});

Deno.test("Watcher drops new changes and keeps queued changes while triggers are paused", async () => {
  await using world = await WatchWorld.watching(
    ["inbox/old.md"],
    watches("a"),
    watches("b", { catchUp: "once" }),
  );
  let isWaiting = true;
  world.answer = () => isWaiting ? { outcome: "waiting" } : undefined;
  world.write("inbox/before.md");
  await world.untilQueued(2);
  world.isPaused = true;
  isWaiting = false;
  world.write("inbox/meanwhile.md");
  const seen = async () => [...(await world.store.readSeen("b"))?.keys() ?? []];
  await world.until(
    async () => (await seen()).includes(world.path("inbox/meanwhile.md")),
    "the change is seen",
  );
  world.watcher.wake();
  await world.clock.advance(10_000);
  assert.deepEqual(world.fired(), []);
  assert.equal((await world.queue()).length, 2);
  world.isPaused = false;
  world.watcher.wake();
  await world.untilFired("a created inbox/before.md", "b created inbox/before.md");
  await world.expectRuns(2, "inbox");
});

Deno.test("Watcher starts no run before its start or during the stop", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/old.md");
  await world.watcher.reconcile([watches("a")], { isUnreadable: () => false });
  world.write("inbox/1.md");
  await world.untilQueued(1);
  assert.deepEqual(world.fired(), []);
  world.watcher.start();
  await world.untilFired("a created inbox/1.md");
  world.answer = () => ({ outcome: "stopping" });
  world.write("inbox/2.md");
  await world.untilQueued(1);
  await world.clock.advance(10_000);
  assert.equal(world.runs.length, 1);
});

Deno.test("Watcher runs each change that was queued at a stop once after the next start", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/old.md");
  const agent = watches("a");
  world.answer = ({ id }) => id === "a" ? { outcome: "waiting" } : undefined;
  await world.watch(agent, watches("quick", { debounceMs: 0 }));
  for (const name of ["1", "2", "3"]) world.write(`inbox/${name}.md`);
  await world.untilQueued(3);
  // The stop stores this change, although its debounce time has not passed.
  world.write("inbox/1.md", "changed again");
  world.write("inbox/4.md");
  await until(async () => {
    await world.clock.advance(1);
    return world.fired().includes("quick created inbox/4.md");
  }, "it is noticed");
  assert.equal((await world.queue()).length, 3);
  await world.restart();
  assert.equal((await world.queue()).length, 4);
  // Changes while the service is down are not noticed.
  world.write("inbox/down.md");
  world.answer = () => undefined;
  await world.watch(agent);
  await world.settled("inbox");
  assert.deepEqual(world.fired("a").sort(), [1, 2, 3, 4].map((i) => `a created inbox/${i}.md`));
});

Deno.test("Watcher drops queued changes that their agent no longer watches", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/old.md");
  world.answer = () => ({ outcome: "waiting" });
  const agents = ["gone", "off", "manual", "moved", "stays"].map((id) => watches(id));
  await world.watch(...agents);
  world.write("inbox/1.md");
  await world.untilQueued(5);
  Deno.mkdirSync(world.path("other"));
  const now = [
    watches("off", {}, { enabled: false }),
    watches("manual", {}, { trigger: { type: "manual" } }),
    watches("moved", { paths: ["other"] }),
    watches("stays", { debounceMs: 1_000 }),
  ];
  await world.watch(...now);
  assert.deepEqual(await world.queue(), ["stays created inbox/1.md"]);
  await world.watcher.reconcile([], { isUnreadable: () => true });
  const expected = ["stays created inbox/1.md"];
  assert.deepEqual(await world.queue(), expected, "its file may only be unreadable");
  await world.restart(watches("another"));
  assert.deepEqual(await world.queue(), [], "gone while the service was down");
});

Deno.test("Watcher keeps changes while a budget is used up, and runs them afterwards", async () => {
  await using world = await WatchWorld.watching(["inbox/old.md"], watches("a"));
  world.answer = () => ({ outcome: "budget" });
  world.write("inbox/1.md");
  await world.untilQueued(1);
  world.write("inbox/1.md", "once more");
  await world.clock.advance(2_000);
  await world.clock.advance(60_000);
  assert.deepEqual(await world.queue(), ["a created inbox/1.md"]);
  assert.equal(world.runs.length, 0);
  world.answer = () => undefined;
  await world.clock.advance(60_000);
  await world.untilFired("a created inbox/1.md");
  assert.deepEqual(await world.queue(), []);
});
