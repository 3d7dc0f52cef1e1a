import assert from "node:assert/strict";
import type { Agent } from "../../../../runtime/agents/agent.ts";
import { watches, WatchWorld } from "./watch_world.ts";

/** The duration of a run: so long that one path stays below the limit of runs per minute. */
const RUN_MS = 4_000;

/** Changes a file during a run, but not with a tool of the agent. The run ends when the change is noticed. */
async function causeNext(world: WatchWorld, name: string, round: number): Promise<void> {
  world.write(name, "x".repeat(round));
  const end = world.clock.now() + RUN_MS;
  const isNoticed = async () =>
    world.runs.slice(round).some(({ path }) => path === name) ||
    (await world.queue()).some((one) => one.endsWith(name));
  while (world.clock.now() < end || !await isNoticed()) await world.clock.sleep(1_000);
}

const untilTripped = (world: WatchWorld, count = 1) =>
  world.until(() => world.tripped.length >= count, "the breaker", { stepMs: 1_000 });

Deno.test("Watcher stops a trigger whose runs cause each other, and its resume drops changes", async () => {
  await using world = await WatchWorld.watching(
    ["inbox/loop.md", "inbox/other.md"],
    watches("a"),
    watches("b", { filters: { include: ["other.md"], exclude: [] } }),
  );
  world.play = async ({ path }) => {
    if (path.endsWith("loop.md")) await causeNext(world, path, world.runs.length);
  };
  world.write("inbox/loop.md", "it begins");
  await untilTripped(world);
  await world.until(() => world.running.size === 0, "the last run's end", { stepMs: 1_000 });
  assert.equal(world.runs.length, 20);
  assert.match(world.tripped[0] ?? "", /^a: more than 20 runs in a row/);
  assert.match(world.stops.reasonOf("a") ?? "", /more than 20 runs in a row/);
  assert.equal(world.stops.reasonOf("b"), null);
  assert.ok(
    world.log.lines.some(({ level, message }) =>
      level === "warn" && /The watch of agent "a" is stopped: .+ Edit the agent/.test(message)
    ),
  );
  assert.equal((await world.queue()).length, 1);
  await world.untilNoticed("inbox/other.md", "b modified");
  await world.clock.advance(10_000);
  assert.equal(world.fired("a").length, 20);
  assert.equal(world.tripped.length, 1);
  world.play = () => {};
  assert.equal(await world.resume(), 2);
  assert.deepEqual(world.restarted, ["a"]);
  assert.equal(world.stops.reasonOf("a"), null);
  assert.deepEqual(await world.queue(), []);
  world.write("inbox/loop.md");
  await world.until(() => world.fired("a").length === 21, "the next change");
  await world.resume();
  assert.deepEqual(world.restarted, ["a"]);
});

const MAX_RUNS = 10;

function selfReporting(changes: Partial<Agent> = {}): Agent {
  return watches("selfrep", { debounceMs: 0, maxRuns: MAX_RUNS, paths: ["w"] }, changes);
}

Deno.test("Watcher stops an agent whose runs each write a new file at trigger.max_runs", async () => {
  await using world = await WatchWorld.watching(["w/old.txt"], selfReporting());
  world.play = async () => {
    const count = world.runs.length;
    world.write(`w/report-${count}.txt`);
    const isNoticed = async () => world.runs.length > count || (await world.queue()).length > 0;
    // The run ends after its change was noticed.
    for (let i = 0; i < 20 && !await isNoticed(); i++) await world.clock.sleep(100);
  };
  world.write("w/start.txt");
  await untilTripped(world);
  assert.equal(world.runs.length, MAX_RUNS);
  assert.deepEqual(world.tripped, [
    `selfrep: changed files started it ${MAX_RUNS} times within ten minutes, as often as trigger.max_runs allows`,
  ]);
  await world.watch(selfReporting());
  assert.deepEqual(world.restarted, [], "the same agent again");
  assert.equal((await world.queue()).length, 1, "what comes next waits");
  await world.watch(selfReporting({ body: "Do better." }));
  assert.deepEqual(world.restarted, ["selfrep"]);
  await untilTripped(world, 2);
  await world.restart(selfReporting());
  await untilTripped(world, 3);
  assert.equal(world.runs.length, 3 * MAX_RUNS);
});

Deno.test("Watcher stops no trigger because of two bursts and a stream of new files", async () => {
  await using world = await WatchWorld.watching(["inbox/old.md"], watches("a"));
  let count = 0;
  world.play = async () => {
    // The next file is written while the run for this file is open.
    if (count < 30) world.write(`inbox/stream-${++count}.md`);
    await world.clock.sleep(50);
  };
  for (let round = 1; round <= 2; round++) {
    for (let i = 0; i < 30; i++) world.write(`inbox/burst-${i}.md`, "x".repeat(round));
    const bursts = () => world.runs.filter(({ path }) => path.includes("burst")).length;
    await world.until(() => bursts() >= 30 * round, "the burst");
  }
  await world.until(() => world.runs.length >= 90, "the stream");
  assert.deepEqual(world.tripped, []);
});
