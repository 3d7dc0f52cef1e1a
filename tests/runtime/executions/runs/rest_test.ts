// Tests the rests of runs: the tool `wait`, restarts, wakes, cancels, delegation and lateness.
import assert from "node:assert/strict";
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { IS_POSTGRES } from "../../../support/test_database.ts";
import {
  createTestWorkspace,
  payloadsOf,
  type TestWorkspace,
  toEnd,
} from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { assertIdentical } from "../../replay/replayed.ts";
import { answer, ASK, call, delegate, doing, FREE, idsOf, resultsOf } from "../executions_of.ts";
import { leaveRunning, untilStatus } from "../executions_of.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The duration of a slow reply. No timer of the service has it. */
const THOUGHT = 97_000;
const START = "2026-03-01T00:00:00.000Z";
const wait = (args: object) => call("wait", { reason: "the backup", ...args });
const RESTS = doing(wait({ for: "2h" }));

/** Returns the planned end and the reason of an execution's current rest. Undefined if it does not rest. */
async function restOf(
  runtime: Runtime,
  id: number,
): Promise<{ until: number; reason: string } | undefined> {
  const { status, rest } = await runtime.getExecution(id);
  return status === "running" && rest?.ended === undefined ? rest : undefined;
}

async function untilRests(runtime: Runtime, ...ids: number[]): Promise<void> {
  for (const id of ids) {
    await until(async () => await restOf(runtime, id) !== undefined, `execution ${id} rests`);
  }
}

/** Runs agents until they rest. Returns the ids of the executions. */
async function runToRest(runtime: Runtime, ...agents: string[]): Promise<number[]> {
  const ids = await Promise.all(agents.map(async (one) => (await runtime.run(one, {})).id));
  await untilRests(runtime, ...ids);
  return ids;
}

async function resultOf(runtime: Runtime, id: number): Promise<string> {
  return String((await resultsOf(runtime, id)).at(-1)?.["content"]);
}

/** Changes the store as if the services had been killed instead of stopped. */
async function markKilled(place: TestWorkspace): Promise<void> {
  const silent = IS_POSTGRES ? ", last_seen = 0" : "";
  await place.run(`UPDATE instances SET stopped_at = NULL${silent}`);
}

async function endings(place: TestWorkspace, id: number): Promise<number> {
  const [row] = await place.all<{ n: number }>(
    "SELECT count(*) AS n FROM frames WHERE execution_id = ? AND event IN ('tool_result', 'complete')",
    id,
  );
  return row?.n ?? 0;
}

Deno.test("wait lets a run rest until its time: without a run, a slot or counted time", async () => {
  await using place = await createTestWorkspace({ shell: { TZ: "Asia/Kolkata" } });
  const clock = new TestClock(START);
  await place.writeScript("rests", RESTS, "max_concurrent_runs: 1\nsettings: { max_duration: 1h }");
  const moment = doing(wait({ until: "2026-03-01 03:00 Europe/Paris" }));
  await place.writeScript("moment", moment);
  await using runtime = await place.open({ clock });
  // The second run of the agent starts although the first one rests.
  const ids = await runToRest(runtime, "rests", "rests", "moment");
  const [id = 0] = ids;
  for (const one of ids) {
    const rest = await restOf(runtime, one);
    assert.deepEqual([rest?.until, rest?.reason], [Date.parse(START) + 2 * HOUR, "the backup"]);
    await assert.rejects(runtime.pendingRequest(one), { message: "No pending request" });
  }
  assert.deepEqual(await runtime.countExecutions(), { running: 0, waiting: 0, resting: 3 });
  await clock.skip(2 * HOUR - 1);
  await until(() => clock.awaits(1), "the timer waits for the earliest rest");
  await clock.advance(1);
  for (const one of ids) {
    const { status, durationMs } = await toEnd(runtime, one);
    assert.deepEqual([status, durationMs], ["success", 0]);
    const result = await resultOf(runtime, one);
    assert.equal(result, "Rested 2h 00m. It is now Sun 2026-03-01 07:30 +05:30.");
    assert.equal(await restOf(runtime, one), undefined);
  }
  const notices = (await payloadsOf(runtime, id)).map(({ content }) => String(content));
  assert.ok(notices.some((text) => /^Rests until \w{3} \d\d:\d\d · the backup$/.test(text)));
  await assertIdentical(runtime, id);
});

Deno.test("a rest survives a stop and a kill of the service, and ends late but once", async () => {
  for (const isKilled of [false, true]) {
    await using place = await createTestWorkspace();
    const clock = new TestClock(START);
    // `on_restart` decides about runs that run, and a resting run does not.
    await place.writeScript("rests", RESTS, "on_restart: orphan");
    const first = await place.open({ clock });
    const [id = 0] = await runToRest(first, "rests");
    // The clock does not move, so a stop that waited for the rest would not end.
    await first.stop({ graceMs: HOUR });
    await first[Symbol.asyncDispose]();
    if (isKilled) await markKilled(place);
    clock.jump(5 * HOUR);
    await using second = await place.open({ clock });
    assert.equal((await toEnd(second, id)).status, "success");
    assert.match(
      await resultOf(second, id),
      /^Rested 5h 00m\. .* That is 3h 00m late, because the service could not continue at /,
    );
    assert.equal((await second.getExecution(id)).durationMs, 0);
    assert.equal(await endings(place, id), 2);
  }
});

Deno.test("a run that is killed after its rest is not charged for the rest", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock(START);
  const steps = [...RESTS.slice(0, 1), { say: "Late.", delay_ms: THOUGHT }];
  await place.writeScript("rests", steps, "on_restart: resume");
  const first = await place.open({ clock });
  const [id = 0] = await runToRest(first, "rests");
  await clock.skip(2 * HOUR);
  await until(async () => (await resultsOf(first, id)).length === 1, "the rest has ended");
  await first.stop({ graceMs: 0 });
  await first[Symbol.asyncDispose]();
  await leaveRunning(place);
  await markKilled(place);
  await using second = await place.open({ clock });
  await until(() => clock.awaits(THOUGHT), "the model");
  await clock.advance(THOUGHT);
  const { status, durationMs } = await toEnd(second, id);
  assert.deepEqual([status, durationMs], ["success", THOUGHT]);
});

Deno.test("Runtime.wake() ends a rest once, and cancel() ends a resting run at once", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock(START);
  await place.writeScript("rests", RESTS);
  await using runtime = await place.open({ clock });
  const [woken = 0, cancelled = 0] = await runToRest(runtime, "rests", "rests");
  await clock.skip(20 * MINUTE);
  const wakes = await Promise.allSettled([runtime.wake(woken), runtime.wake(woken)]);
  assert.deepEqual(wakes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  assert.equal((await toEnd(runtime, woken)).status, "success");
  assert.match(
    await resultOf(runtime, woken),
    /^Rested 20m 00s: a person ended the rest, which was planned until .* It is now /,
  );
  clock.jump(5 * MINUTE);
  const message = `Execution ${woken} ended with success 5m 00s ago; it does not rest`;
  await assert.rejects(runtime.wake(woken), { code: "conflict", message });
  await assert.rejects(runtime.wake(99), { code: "not_found" });
  assert.equal(await runtime.cancel(cancelled), "aborted");
  const { status, error } = await runtime.getExecution(cancelled);
  assert.deepEqual([status, error], ["aborted", "Cancelled by user"]);
  assert.equal(await restOf(runtime, cancelled), undefined);
  await clock.skip(5 * HOUR);
  assert.equal(await endings(place, cancelled), 1);
});

Deno.test("a parent rests while its child rests, and both go on, wake and end together", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock(START);
  await place.writeScript("child", RESTS);
  await place.writeScript("parent", doing(delegate("child")), "agents: [child]");
  await place.writeScript("above", doing(delegate("parent")), "agents: [parent]");
  let runtime = await place.open({ clock });
  const start = async () => {
    const { id } = await runtime.run("above", {});
    await untilRests(runtime, id);
    const last = async (agent: string) => (await idsOf(runtime, agent)).at(-1) ?? 0;
    return { above: id, parent: await last("parent"), child: await last("child") };
  };
  const due = await start();
  const early = await start();
  const ended = await start();
  await runtime.wake(early.above);
  assert.equal((await toEnd(runtime, early.above)).status, "success");
  assert.equal(await runtime.cancel(ended.child), "aborted");
  assert.match((await toEnd(runtime, ended.above)).outputData ?? "", /Done/);
  assert.match(await resultOf(runtime, ended.parent), /"status":"aborted"/);
  const cancelled = await start();
  assert.equal(await runtime.cancel(cancelled.above), "aborted");
  for (const id of Object.values(cancelled)) {
    assert.equal((await runtime.getExecution(id)).status, "aborted");
  }
  await runtime[Symbol.asyncDispose]();
  clock.jump(2 * HOUR);
  runtime = await place.open({ clock });
  await using _ = runtime;
  for (const id of Object.values(due)) {
    await untilStatus(runtime, id, "success");
    assert.equal(await endings(place, id), 2);
  }
});

Deno.test("waits beside other calls: the results of all calls come together, in the time of the longest", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock(START);
  const steps = doing(
    wait({ for: "3h" }),
    ASK.call[0],
    wait({ for: "1h" }),
    call("file_glob", { pattern: "*" }),
  );
  await place.writeScript("mixed", steps, FREE);
  await using runtime = await place.open({ clock });
  const { id } = await runtime.run("mixed", {});
  await untilStatus(runtime, id, "waiting");
  await assert.rejects(runtime.wake(id), { message: /waits for an answer; it does not rest$/ });
  await answer(runtime, id, { text: "This" });
  await untilRests(runtime, id);
  assert.equal((await restOf(runtime, id))?.until, Date.parse(START) + HOUR);
  await clock.skip(HOUR);
  await until(
    async () => (await restOf(runtime, id))?.until === Date.parse(START) + 3 * HOUR,
    "the longer wait",
  );
  await clock.skip(2 * HOUR);
  assert.equal((await toEnd(runtime, id)).status, "success");
  const results = (await resultsOf(runtime, id)).map(({ content }) => String(content).slice(0, 9));
  assert.deepEqual(results, ["Rested 3h", "This", "Rested 1h", "(Nothing "]);
});

Deno.test("wait refuses unusable times with a hint", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock(START);
  const cases: [args: object, failure: RegExp][] = [
    [{}, /^Error: Give either until or for\. Write for: "90m"/],
    [{ for: "1h", until: "2026-03-01T08:00Z" }, /^Error: Give either until or for/],
    [{ for: "soon" }, /^Error: for "soon" is no duration/],
    [{ for: "0s" }, /^Error: for "0s" is no duration/],
    [{ until: "2026-03-01T08:00" }, /^Error: until "2026-03-01T08:00" is no time with a zone/],
    [{ until: "2026-03-01 08:00 Mars/Base" }, /is no time with a zone/],
    [{ until: "2026-02-01T08:00Z" }, /^Error: The time is over already: it is now \w{3} 2026-0/],
    [{ for: "31d" }, /^Error: This agent may wait 30d at most \(max_wait\)/],
  ];
  for (const [index, [args]] of cases.entries()) {
    await place.writeScript(`agent${index}`, doing(wait(args)));
  }
  await place.writeScript("short", doing(wait({ for: "2h" })), "max_wait: 1h");
  await place.writeScript("long", doing(wait({ for: "60d" })), "max_wait: none");
  await using runtime = await place.open({ clock });
  for (const [index, [, failure]] of cases.entries()) {
    const { id } = await runtime.run(`agent${index}`, {});
    await toEnd(runtime, id);
    assert.match(await resultOf(runtime, id), failure);
  }
  const { id } = await runtime.run("short", {});
  await toEnd(runtime, id);
  assert.match(await resultOf(runtime, id), /may wait 1h at most/);
  const [far = 0] = await runToRest(runtime, "long");
  const notices = (await payloadsOf(runtime, far)).filter(({ kind }) => kind === "notice");
  assert.match(String(notices.at(-1)?.["content"]), /^Rests until \w{3} 2026-\d\d-\d\d \d\d:\d\d/);
});

Deno.test("a dry run describes a wait instead of resting", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("rests", RESTS);
  await using runtime = await place.open();
  const { id } = await runtime.run("rests", { dryRun: true });
  assert.equal((await toEnd(runtime, id)).status, "success");
  assert.match(await resultOf(runtime, id), /^Would call wait .*; not done: this is a dry run/);
});
