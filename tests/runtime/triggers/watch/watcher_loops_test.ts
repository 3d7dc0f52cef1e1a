import assert from "node:assert/strict";
import { join } from "node:path";
import type { Agent } from "../../../../runtime/agents/agent.ts";
import { fileWrite } from "../../../../runtime/tools/builtin/file_write.ts";
import { PathSandbox } from "../../../../runtime/tools/files/path_sandbox.ts";
import { MAX_CHAIN } from "../../../../runtime/triggers/watch/trigger_breaker.ts";
import { call, testContext } from "../../tools/files/sandbox_fixture.ts";
import { type PlayedRun, watches, WatchWorld } from "./watch_world.ts";

/** Writes a file as the tool of a run does. */
async function writeByTool(world: WatchWorld, run: PlayedRun, path: string): Promise<void> {
  const lineage = [{ executionId: run.id, agentId: run.agentId }];
  const sandbox = new PathSandbox({
    workspace: world.workspace,
    agentsDir: null,
    configDir: join(world.root, "config"),
    stateDir: join(world.root, "state"),
    home: world.root,
    paths: [],
    onWrite: (write) => world.ownWrites.record(lineage, write),
  });
  await call(fileWrite, { path, content: "hi" }, testContext(sandbox));
}

Deno.test("Watcher stops two agents whose tools write files of ever new names for each other", async () => {
  await using world = await WatchWorld.create();
  world.write("d1/old.md");
  world.write("d2/old.md");
  world.play = async (run) => {
    if (world.runs.length > 60) return;
    const folder = run.agentId === "ping" ? "d2" : "d1";
    await writeByTool(world, run, `${folder}/file-${world.runs.length}.md`);
  };
  const trigger = { debounceMs: 50 };
  await world.watch(
    watches("ping", { ...trigger, paths: ["d1"] }),
    watches("pong", { ...trigger, paths: ["d2"] }),
  );
  world.write("d1/start.md");
  await world.until(() => world.tripped.length > 0, "the breaker");
  assert.equal(world.runs.length, MAX_CHAIN);
  assert.match(
    world.tripped[0] ?? "",
    /^ping: more than 20 runs in a row .*, the last one by .*\/d1\/file-20\.md$/,
  );
  await world.settled();
});

Deno.test("Watcher stops agents that write two files for each one that they get, before all have run", async () => {
  await using world = await WatchWorld.create();
  world.write("d1/old.md");
  world.write("d2/old.md");
  world.play = async (run) => {
    if (world.runs.length > 500) return;
    const folder = run.agentId === "ping" ? "d2" : "d1";
    for (const half of ["a", "b"]) {
      await writeByTool(world, run, `${folder}/file-${run.id}${half}.md`);
    }
    await world.clock.sleep(1_000);
  };
  await world.watch(
    watches("ping", { debounceMs: 0, maxRuns: 50, paths: ["d1"] }),
    watches("pong", { debounceMs: 0, maxRuns: 50, paths: ["d2"] }),
  );
  world.write("d1/start.md");
  await world.until(() => world.tripped.length > 0, "the breaker", { stepMs: 500 });
  assert.ok(world.runs.length <= 100, `${world.runs.length} runs`);
  world.play = () => {};
  await world.settled();
});

Deno.test("Watcher: a file of many that go once round two agents stops nothing, however many they are", async () => {
  await using world = await WatchWorld.create();
  world.write("d1/old.md");
  world.write("d2/old.md");
  world.play = async (run) => {
    if (run.path.includes("again")) return;
    const name = run.path.split("/").at(-1);
    const path = run.agentId === "ping" ? `d2/${name}` : `d1/again-${name}`;
    await writeByTool(world, run, path);
  };
  await world.watch(
    watches("ping", { debounceMs: 0, paths: ["d1"] }),
    watches("pong", { debounceMs: 0, paths: ["d2"] }),
  );
  for (let i = 0; i < 60; i++) world.write(`d1/file-${i}.md`);
  await world.until(() => world.runs.length === 180, "each file three times");
  await world.settled();
  assert.deepEqual(world.tripped, []);
});

const MAX_RUNS = 30;

function selfReporting(world: WatchWorld): Agent {
  return watches("selfrep", { debounceMs: 0, maxRuns: MAX_RUNS, paths: ["w"] });
}

/** A world with an agent whose script writes a report of a new name into the folder that it watches. */
async function openReporting(): Promise<WatchWorld> {
  const world = await WatchWorld.create();
  world.write("w/old.txt");
  world.play = async () => {
    const count = world.runs.length;
    world.write(`w/report-${count}.txt`);
    const isNoticed = async () => world.runs.length > count || (await world.queue()).length > 0;
    // Goes on until its change is noticed.
    for (let i = 0; i < 20 && !await isNoticed(); i++) await world.clock.sleep(100);
  };
  await world.watch(selfReporting(world));
  return world;
}

Deno.test("Watcher stops an agent whose script leaves a file of a new name each time, after trigger.max_runs", async () => {
  await using world = await openReporting();
  world.write("w/start.txt");
  await world.until(() => world.tripped.length > 0, "the breaker", { stepMs: 500 });
  assert.equal(world.runs.length, MAX_RUNS);
  assert.deepEqual(world.tripped, [
    `selfrep: changed files started it ${MAX_RUNS} times within ten minutes, as often as trigger.max_runs allows`,
  ]);
  assert.equal((await world.queue()).length, 1, "what comes next waits");
});

Deno.test("Watcher: a loop that is stopped again and again does not run on after a restart", async () => {
  await using world = await openReporting();
  world.write("w/start.txt");
  await world.until(() => world.tripped.length > 0, "the breaker", { stepMs: 500 });
  await world.restart(selfReporting(world));
  await world.until(() => world.tripped.length > 1, "the breaker again", { stepMs: 500 });
  assert.equal(world.runs.length, 2 * MAX_RUNS);
});

Deno.test("Watcher: an agent that writes nothing runs at once for each file of a feeder that waits for its runs", async () => {
  await using world = await WatchWorld.watching(
    ["inbox/old.md"],
    watches("a", { debounceMs: 0, maxRuns: 200 }),
  );
  for (let i = 1; i <= 60; i++) {
    world.write(`inbox/scan-${i}.md`);
    await world.until(() => world.runs.length === i && world.running.size === 0, `scan ${i}`);
  }
  assert.deepEqual(world.tripped, []);
});

Deno.test("Watcher: a folder that a program fills while runs go on all the time is not stopped", async () => {
  await using world = await WatchWorld.create();
  world.write("inbox/old.md");
  world.play = () => world.clock.sleep(700);
  await world.watch(watches("a", { debounceMs: 0 }));
  let count = 0;
  await world.until(
    () => {
      if (count < 100) world.write(`inbox/picture-${++count}.md`);
      return world.runs.length === 100;
    },
    "all pictures",
    { stepMs: 400 },
  );
  assert.deepEqual(world.tripped, []);
});
