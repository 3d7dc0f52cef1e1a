import assert from "node:assert/strict";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace, runsOf, toEnd, turnOf } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";

const MINUTE = 60_000;

/** Advances the clock, and waits until a number of runs have ended. */
async function advance(
  runtime: Runtime,
  clock: TestClock,
  { ms, agent, runs }: { ms: number; agent: string; runs: number },
): Promise<void> {
  // A jump of the clock, instead of waking the timers at each second.
  clock.jump(ms - 1_000);
  await clock.advance(1_000);
  await until(
    async () =>
      (await runsOf(runtime, agent)).filter(({ status }) => status === "success").length === runs,
    `${runs} runs of ${agent}`,
  );
}

Deno.test("a schedule keeps its due times across a restart and an edit of the text", async () => {
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
    const lines = "trigger: { type: schedule, every: 10m }";
    await place.writeScript("tick", [{ say: "tock tock" }], lines);
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

Deno.test("a schedule starts no run while the previous run or its conversation is open", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock("2026-03-01T00:00:00.000Z");
  const trigger = "trigger: { type: schedule, every: 1m }";
  await place.writeScript("slow", [{ say: "late", delay_ms: 150_000 }], trigger);
  const steps = [{ call: [{ name: "ask_user", arguments: { question: "Well?" } }] }, { say: "ok" }];
  await place.writeScript("asker", steps, trigger);
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

Deno.test("a pause survives a restart, stops schedules and watches, and allows manual runs", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock("2026-03-01T00:00:00.000Z");
  await place.writeScript("tick", [{ say: "x" }], "trigger: { type: schedule, every: 1m }");
  {
    await using runtime = await place.open({ clock });
    let changes = 0;
    runtime.events.subscribe(({ type }) => changes += type === "scheduler_changed" ? 1 : 0);
    await Promise.all(Array.from({ length: 10 }, () => runtime.pauseScheduler()));
    assert.equal(changes, 1, "of many pauses at once one is a change");
  }
  await using runtime = await place.open({ clock });
  assert.equal((await runtime.scheduler()).status, "paused");
  await clock.advance(3 * MINUTE);
  const slots = () => runtime.listSlots("tick", { limit: 9, offset: 0 });
  const isDone = async () => (await slots()).reduce((sum, { count }) => sum + count, 0) === 3;
  await until(isDone, "three slots");
  assert.ok(
    (await slots()).every(({ outcome, reason }) => outcome === "skipped" && reason === "paused"),
  );
  assert.equal((await runtime.getAgent("tick")).nextRun, clock.now() + MINUTE);
  assert.equal((await toEnd(runtime, (await runtime.run("tick", {})).id)).status, "success");
  await runtime.resumeScheduler();
  await advance(runtime, clock, { ms: MINUTE, agent: "tick", runs: 2 });
});
