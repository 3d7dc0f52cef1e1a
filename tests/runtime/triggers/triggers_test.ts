import assert from "node:assert/strict";
import { join } from "node:path";
import type { Runtime } from "../../../runtime/runtime.ts";
import { settle, TestClock } from "../../support/test_clock.ts";
import {
  createTestWorkspace,
  payloadsOf,
  type TestWorkspace,
  toEnd,
} from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";

const MINUTE = 60_000;

async function runsOf(runtime: Runtime, id: string) {
  return (await runtime.listRuns(id, { limit: 100, offset: 0 })).toReversed();
}

async function turnOf(runtime: Runtime, id: number): Promise<string> {
  const turn = (await payloadsOf(runtime, id)).find((one) => one["event_type"] === "human");
  return String(turn?.["content"]);
}

/** Moves the clock and waits until as many runs have ended. */
async function advance(
  runtime: Runtime,
  clock: TestClock,
  { ms, agent, runs }: { ms: number; agent: string; runs: number },
): Promise<void> {
  await clock.advance(ms);
  await until(
    async () =>
      (await runsOf(runtime, agent)).filter(({ status }) => status === "success").length === runs,
    `${runs} runs of ${agent}`,
  );
}

Deno.test("a schedule fires on its beat, and the beat holds over a restart and an edit of the text", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock("2026-03-01T00:00:00.000Z");
  await place.writeScript("tick", [{ say: "tock" }], "trigger: { type: schedule, every: 10m }");
  {
    await using runtime = await place.open({ clock });
    const { nextRun } = await runtime.getAgent("tick");
    assert.equal(nextRun, clock.now() + 10 * MINUTE);
    await advance(runtime, clock, { ms: 10 * MINUTE, agent: "tick", runs: 1 });
    const [run] = await runsOf(runtime, "tick");
    assert.equal(run?.trigger, "schedule");
    assert.equal(await turnOf(runtime, run?.id ?? 0), "Execute your task. (scheduled: every 10m)");
    await clock.advance(4 * MINUTE);
    await place.writeScript(
      "tick",
      [{ say: "tock tock" }],
      "trigger: { type: schedule, every: 10m }",
    );
    await runtime.reloadAgents();
    assert.equal((await runtime.getAgent("tick")).nextRun, clock.now() + 6 * MINUTE);
  }
  clock.jump(3 * MINUTE);
  await using runtime = await place.open({ clock });
  assert.equal((await runtime.scheduler()).jobs[0]?.nextRun, clock.now() + 3 * MINUTE);
  await advance(runtime, clock, { ms: 3 * MINUTE, agent: "tick", runs: 2 });
  const slots = await runtime.listSlots("tick", { limit: 10, offset: 0 });
  assert.deepEqual(slots.map(({ outcome, count }) => [outcome, count]), [["run", 1], ["run", 1]]);
});

Deno.test("ten minutes down over a due time: missed, and with catch_up once one run", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock("2026-03-01T00:00:30.000Z");
  const every = "trigger: { type: schedule, cron: '*/2 * * * *', timezone: UTC";
  await place.writeScript("skip", [{ say: "x" }], `${every} }`);
  await place.writeScript("once", [{ say: "x" }], `${every}, catch_up: once }`);
  await (await place.open({ clock }))[Symbol.asyncDispose]();
  // Away from any slot by more than the grace.
  clock.jump(11 * MINUTE);
  await using runtime = await place.open({ clock });
  await until(async () => (await runsOf(runtime, "once")).length === 1, "the run that catches up");
  await settle();
  const slots = async (id: string) =>
    (await runtime.listSlots(id, { limit: 9, offset: 0 })).map((
      { outcome, count },
    ) => [outcome, count]);
  assert.deepEqual(await slots("skip"), [["missed", 5]]);
  assert.deepEqual(await slots("once"), [["run", 1], ["missed", 4]]);
  assert.equal((await runsOf(runtime, "skip")).length, 0);
});

Deno.test("a schedule does not overlap itself, nor run while its conversation waits", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock("2026-03-01T00:00:00.000Z");
  const trigger = "trigger: { type: schedule, every: 1m }";
  await place.writeScript("slow", [{ say: "late", delay_ms: 150_000 }], trigger);
  await place.writeScript("asker", [
    { call: [{ name: "ask_user", arguments: { question: "Well?" } }] },
    { say: "ok" },
  ], trigger);
  await using runtime = await place.open({ clock });
  await clock.advance(MINUTE);
  await until(async () => (await runtime.countExecutions()).waiting === 1, "the question");
  await clock.advance(MINUTE);
  const newest = async (id: string) => (await runtime.listSlots(id, { limit: 1, offset: 0 }))[0];
  await until(async () => (await newest("slow"))?.outcome === "skipped", "the skipped slot");
  await until(async () => (await newest("asker"))?.outcome === "skipped", "the other one");
  assert.equal((await newest("slow"))?.reason, "still running");
  assert.equal((await newest("asker"))?.reason, "waiting for an answer");
  assert.equal((await runsOf(runtime, "asker")).length, 1);
});

Deno.test("a pause holds over a restart: no slot and no change fires, a manual run does", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock("2026-03-01T00:00:00.000Z");
  await place.writeScript("tick", [{ say: "x" }], "trigger: { type: schedule, every: 1m }");
  {
    await using runtime = await place.open({ clock });
    await runtime.pauseScheduler();
  }
  await using runtime = await place.open({ clock });
  assert.equal((await runtime.scheduler()).status, "paused");
  await clock.advance(3 * MINUTE);
  const slots = () => runtime.listSlots("tick", { limit: 9, offset: 0 });
  await until(
    async () => (await slots()).reduce((sum, { count }) => sum + count, 0) === 3,
    "three slots",
  );
  assert.ok(
    (await slots()).every(({ outcome, reason }) => outcome === "skipped" && reason === "paused"),
  );
  assert.equal((await runtime.getAgent("tick")).nextRun, clock.now() + MINUTE);
  assert.equal((await toEnd(runtime, (await runtime.run("tick", {})).id)).status, "success");
  await runtime.resumeScheduler();
  await advance(runtime, clock, { ms: MINUTE, agent: "tick", runs: 2 });
});

Deno.test("a disabled agent has no beat; a manual run of it works", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock("2026-03-01T00:00:00.000Z");
  await place.writeScript(
    "off",
    [{ say: "x" }],
    "enabled: false\ntrigger: { type: schedule, every: 1m }",
  );
  await using runtime = await place.open({ clock });
  await clock.advance(5 * MINUTE);
  assert.equal((await runtime.getAgent("off")).nextRun, null);
  assert.deepEqual((await runtime.scheduler()).jobs, []);
  assert.equal((await runsOf(runtime, "off")).length, 0);
  assert.equal((await toEnd(runtime, (await runtime.run("off", {})).id)).status, "success");
});

async function openWatching(place: TestWorkspace): Promise<Runtime> {
  await Deno.mkdir(join(place.workspace, "inbox"), { recursive: true });
  const runtime = await place.open();
  assert.equal((await runtime.scheduler()).watcherActive, true);
  return runtime;
}

Deno.test("a changed file runs its watcher, which may read it, once", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("sorter", [
    { call: [{ name: "file_read", arguments: { path: "inbox/a.txt", with_line_numbers: false } }] },
    { say: "{result}" },
  ], "paths: [elsewhere]\ntrigger: { type: watch, paths: ['inbox/*.txt'], debounce: 50ms }");
  await using runtime = await openWatching(place);
  await Deno.writeTextFile(join(place.workspace, "inbox/a.txt"), "the letter");
  await until(
    async () => (await runsOf(runtime, "sorter")).at(-1)?.status === "success",
    "the run",
  );
  const [run, ...more] = await runsOf(runtime, "sorter");
  assert.deepEqual([run?.trigger, more.length], ["watch", 0]);
  assert.match((await runtime.getExecution(run?.id ?? 0)).outputData ?? "", /the letter/);
  assert.match(await turnOf(runtime, run?.id ?? 0), /created.*inbox\/a\.txt/s);
});

Deno.test("an agent that writes into the folder it watches runs once and stops, also when its delegate writes", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript(
    "copier",
    [
      {
        call: [
          { name: "file_write", arguments: { path: "inbox/copy.txt", content: "copied" } },
          { name: "run_agent", arguments: { agent_id: "helper" } },
        ],
      },
      { say: "done" },
    ],
    "agents: helper\nauto_approve: [file_write]\ntrigger: { type: watch, paths: [inbox], debounce: 50ms }",
  );
  await place.writeScript("helper", [
    { call: [{ name: "file_write", arguments: { path: "inbox/help.txt", content: "helped" } }] },
    { say: "done" },
  ], "auto_approve: [file_write]");
  await using runtime = await openWatching(place);
  await Deno.writeTextFile(join(place.workspace, "inbox/start.txt"), "go");
  await until(
    async () => (await runsOf(runtime, "copier")).at(-1)?.status === "success",
    "the run",
  );
  // Another change proves that what came before it was seen and left alone.
  await Deno.writeTextFile(join(place.workspace, "inbox/next.txt"), "go");
  await until(
    async () =>
      (await runsOf(runtime, "copier")).filter(({ status }) => status === "success").length === 2,
    "the second run",
  );
  const turns = await Promise.all(
    (await runsOf(runtime, "copier")).map(({ id }) => turnOf(runtime, id)),
  );
  assert.deepEqual(turns.map((turn) => /(\w+)\.txt/.exec(turn)?.[1]), ["start", "next"]);
});
