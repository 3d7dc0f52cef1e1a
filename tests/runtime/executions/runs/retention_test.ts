import assert from "node:assert/strict";
import { TestClock } from "../../../support/test_clock.ts";
import type { TestWorkspace } from "../../../support/test_workspace.ts";
import { createTestWorkspace, runToEnd } from "../../../support/test_workspace.ts";
import { IS_POSTGRES } from "../../../support/test_database.ts";
import { until } from "../../../support/until.ts";
import { answerToEnd } from "../executions_of.ts";
import { RetentionSweeps } from "../../../../runtime/executions/runs/retention.ts";
import { DAY_MS, HOUR_MS } from "../../../../base/time_units.ts";
import { LogLines } from "../../../support/log_lines.ts";

const WAITS = [{ call: [{ name: "file_write", arguments: { path: "a", content: "a" } }] }, {
  say: "x",
}];

async function fill(place: TestWorkspace): Promise<void> {
  await place.writeScript("one", [{ say: "hello" }]);
  await place.writeScript("two", [{ say_repeat: { text: "0123456789", times: 40_000 } }]);
  await place.writeScript("asker", WAITS);
}

Deno.test("purgeCheckpoints() keeps the newest and the waiting conversations, except with force", async () => {
  await using place = await createTestWorkspace();
  await fill(place);
  await using runtime = await place.open();
  for (const id of ["one", "one", "one", "two", "two"]) await runToEnd(runtime, id);
  const waiting = (await runToEnd(runtime, "asker")).id;
  await place.writeScript("slow", [{ say: "late", delay_ms: 600_000 }]);
  await runtime.reloadAgents();
  const { id: running } = await runtime.run("slow", {});
  const threads = async () =>
    Object.fromEntries(
      (await runtime.checkpointStats()).agents.map((one) => [one.agentId, one.threads]),
    );
  await until(async () => (await threads())["slow"] === 1, "the conversation of the running one");

  assert.deepEqual(await threads(), { asker: 1, one: 3, slow: 1, two: 2 });
  const before = (await runtime.checkpointStats()).sizeBytes;
  assert.equal(await runtime.purgeCheckpoints({ agentId: "one", force: false }), 2);
  assert.equal(await runtime.purgeCheckpoints({ force: false }), 1);
  assert.deepEqual(await threads(), { asker: 1, one: 1, slow: 1, two: 1 });
  assert.equal((await runtime.getExecution(waiting)).status, "waiting");

  assert.equal(await runtime.purgeCheckpoints({ force: true }), 3);
  assert.deepEqual(await threads(), { slow: 1 });
  const ended = await runtime.getExecution(waiting);
  const expected = ["aborted", "Aborted: its conversation was purged"];
  assert.deepEqual([ended.status, ended.error], expected);
  assert.equal((await runtime.getExecution(running)).status, "running");
  // PostgreSQL does not free the space at once.
  const { sizeBytes } = await runtime.checkpointStats();
  assert.ok(IS_POSTGRES || sizeBytes < before, "the file is smaller");
  // The executions and their log are kept.
  assert.equal((await runtime.listExecutions({ limit: 50, offset: 0 })).length, 7);
  const refusal = /'nobody' not found/;
  await assert.rejects(runtime.purgeCheckpoints({ agentId: "nobody", force: false }), refusal);
  await runtime.cancel(running);
});

Deno.test("purgeCheckpoints() without force keeps every waiting conversation, including an agent's older ones", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("asker", WAITS, "on_pending: parallel");
  await using runtime = await place.open();
  const waiting = [(await runToEnd(runtime, "asker")).id, (await runToEnd(runtime, "asker")).id];
  await runtime.cancel((await runToEnd(runtime, "asker")).id);
  assert.equal(await runtime.purgeCheckpoints({ agentId: "asker", force: false }), 0);
  assert.equal(await runtime.purgeCheckpoints({ force: false }), 0);
  assert.equal((await runtime.checkpointStats()).threads, 3);
  // The kept conversations are complete: each execution accepts an answer and continues.
  for (const id of waiting) {
    assert.equal((await answerToEnd(runtime, id, { approved: false })).status, "success");
  }
});

Deno.test("a maintenance runtime removes the selected data, and refuses runs and pauses", async () => {
  await using place = await createTestWorkspace();
  await fill(place);
  const call = [{ name: "run_agent", arguments: { agent_id: "asker" } }];
  await place.writeScript("lead", [{ call }, { say: "went on" }], "agents: [asker]");
  let [waiting, lead] = [0, 0];
  {
    await using runtime = await place.open();
    await runToEnd(runtime, "one");
    waiting = (await runToEnd(runtime, "asker")).id;
    lead = (await runToEnd(runtime, "lead")).id;
    await assert.rejects(place.open({ mode: "upkeep" }), { name: "AlreadyRunning" });
  }
  await place.writeScript("often", [{ say: "x" }], "trigger: { type: schedule, every: 1s }");
  {
    await using runtime = await place.open({ mode: "upkeep" });
    assert.equal((await runtime.getAgent("often")).nextRun, null);
    const refused = { name: "ReadOnlyRuntime" };
    await assert.rejects(runtime.run("one", {}), refused);
    await assert.rejects(runtime.pauseScheduler(), refused);
    assert.equal(await runtime.purgeCheckpoints({ agentId: "asker", force: true }), 2);
    const { status, error } = await runtime.getExecution(waiting);
    assert.deepEqual([status, error], ["aborted", "Aborted: its conversation was purged"]);
  }
  await using runtime = await place.open({ mode: "read-only" });
  await assert.rejects(runtime.purgeCheckpoints({ force: true }), { name: "ReadOnlyRuntime" });
  assert.equal((await runtime.listExecutions({ limit: 9, offset: 0 })).length, 4);
  const { status, error, outputData } = await runtime.getExecution(lead);
  const ended = ["aborted", "Aborted: what it waited for was purged", null];
  // With PostgreSQL, the execution stays running, because another machine may continue it.
  assert.deepEqual([status, error, outputData], IS_POSTGRES ? ["running", null, null] : ended);
});

const CASES = [
  ["", 3, 4],
  ["defaults: { checkpoint_retention_days: 0 }", 4, 4],
  ["defaults: { log_retention_days: 30 }", 1, 1],
] as const;
for (const [config, threads, executions] of CASES) {
  Deno.test(`the sweep after 31 days with "${config}" keeps ${threads} conversations and ${executions} executions`, async () => {
    const clock = new TestClock();
    await using place = await createTestWorkspace();
    await place.configure(`${config}\n`);
    await fill(place);
    let waiting: number;
    {
      await using runtime = await place.open({ clock });
      for (const id of ["one", "one", "two"]) await runToEnd(runtime, id);
      waiting = (await runToEnd(runtime, "asker")).id;
    }
    clock.jump(31 * DAY_MS);
    await using runtime = await place.open({ clock });
    assert.equal((await runtime.checkpointStats()).threads, threads);
    assert.equal((await runtime.listExecutions({ limit: 50, offset: 0 })).length, executions);
    assert.equal((await runtime.getExecution(waiting)).status, "waiting");
  });
}

/**
 * Creates RetentionSweeps with a fake store that records the times and limits of sweeps. Sweeps that `fails` selects fail.
 */
function stage(fails: (sweep: number) => boolean) {
  const clock = new TestClock();
  const log = new LogLines();
  const start = clock.now();
  const swept: number[] = [];
  const sweeps = new RetentionSweeps({
    retention: {
      sweep({ now, checkpointDays, logDays }) {
        assert.deepEqual([checkpointDays, logDays], [30, null]);
        swept.push(now - start);
        return fails(swept.length) ? Promise.reject(new Error("no room")) : Promise.resolve();
      },
    },
    clock,
    log,
    days: () => ({ checkpointDays: 30, logDays: null }),
  });
  return { clock, log, swept, sweeps };
}

Deno.test("RetentionSweeps sweep at the start and once a day, even after a failure", async () => {
  const { clock, log, swept, sweeps } = stage((sweep) => sweep === 2);
  await sweeps.start();
  assert.deepEqual(swept, [0]);
  await clock.advance(DAY_MS - 1);
  assert.deepEqual(swept, [0]);
  await clock.advance(DAY_MS + HOUR_MS);
  assert.deepEqual(swept, [0, DAY_MS, 2 * DAY_MS]);
  assert.deepEqual(log.lines.map(({ level, message }) => [level, message]), [
    ["error", "Old conversations and logs could not be removed; tried again in a day"],
  ]);
  await sweeps[Symbol.asyncDispose]();
  assert.equal(clock.sleeping, 0);
});

Deno.test("RetentionSweeps.start() rejects if the first sweep fails, and starts no timer", async () => {
  const { clock, sweeps } = stage(() => true);
  await assert.rejects(sweeps.start(), /no room/);
  assert.equal(clock.sleeping, 0);
  await sweeps[Symbol.asyncDispose]();
});
