// Tests delegation during changes and failures of agents' files, limits, the service and the retention.
import assert from "node:assert/strict";
import { join } from "node:path";
import { TestClock } from "../../../support/test_clock.ts";
import type { TestWorkspace } from "../../../support/test_workspace.ts";
import { createTestWorkspace, runToEnd, toEnd } from "../../../support/test_workspace.ts";
import { IS_POSTGRES } from "../../../support/test_database.ts";
import { until } from "../../../support/until.ts";
import { answer, answerToEnd, ASK, call, delegate, idsOf, resultsOf } from "../executions_of.ts";
import { doing, statusOf, untilStatus } from "../executions_of.ts";

const DAY_MS = 86_400_000;

async function writeAsking(place: TestWorkspace, lines = "agents: [asker]"): Promise<void> {
  await place.writeScript("lead", LEAD, lines);
  await place.writeScript("asker", [ASK, { say: "Said {result}" }]);
}

Deno.test("ten run_agent calls of one reply start ten executions, at most eight at once", async () => {
  await using place = await createTestWorkspace();
  const numbers = Array.from({ length: 10 }, (_, n) => String(n));
  const steps = doing(...numbers.map((n) => delegate("echo", n)));
  await place.writeScript("lead", steps, "agents: [echo]");
  await place.writeScript("echo", [{ say: "Here.", delay_ms: 1_700 }]);
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const { id } = await runtime.run("lead", {});
  await until(async () => (await idsOf(runtime, "echo")).length === 8, "eight children");
  await until(() => clock.countAwaiting(1_700) === 8, "the children at their models");
  await clock.advance(1_700);
  await until(async () => (await idsOf(runtime, "echo")).length === 10, "the other two");
  await until(() => clock.countAwaiting(1_700) === 2, "their models");
  await clock.advance(1_700);
  assert.equal((await toEnd(runtime, id)).status, "success");
  const results = (await resultsOf(runtime, id)).map((one) => JSON.parse(String(one["content"])));
  const args = await Promise.all(
    results.map(async ({ execution_id }) => (await runtime.getExecution(execution_id)).args[0]),
  );
  assert.deepEqual(args, numbers);
  assert.equal((await runtime.getExecution(id)).children.count, 10);
});

Deno.test("the parent's result reports a child's failure, limit or timeout", async () => {
  await using place = await createTestWorkspace();
  await Deno.writeTextFile(join(place.workspace, "a.txt"), "a");
  const read = { call: [call("file_read", { path: "a.txt" })] };
  await place.writeScript("failing", [{ fail: "no luck" }]);
  await place.writeScript("limited", [read, read, { say: "x" }], "settings: { max_tool_calls: 1 }");
  await place.writeScript("slow", [{ say: "x", delay_ms: 100_000 }], "settings: { timeout: 5 }");
  const steps = doing(delegate("failing"), delegate("limited"), delegate("slow"));
  await place.writeScript("lead", steps, "agents: [failing, limited, slow]");
  const clock = new TestClock();
  await using runtime = await place.open({ clock });
  const { id } = await runtime.run("lead", {});
  await until(() => clock.awaits(5_000), "the timeout's clock");
  await clock.advance(5_000);
  assert.equal((await toEnd(runtime, id)).outputData, "Done.");
  const results = (await resultsOf(runtime, id)).map((one) => JSON.parse(String(one["content"])));
  const expected = [["error", null], ["aborted", null], ["timeout", null]];
  assert.deepEqual(results.map(({ status, output }) => [status, output]), expected);
  assert.match(results[0].error, /no luck/);
  assert.match(results[1].error, /max_tool_calls \(2 calls, limit 1\)/);
  assert.match(results[2].error, /Timeout after 5s/);
});

Deno.test("a child's long answer or error is cut, but not the rest of the result", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("lead", [{ call: [delegate("poet")] }, { say: "ok" }], "agents: [poet]");
  await using runtime = await place.open();
  for (const text of ["\u0001", "🙂", "a"]) {
    await place.writeScript("poet", [{ say_repeat: { text, times: 70_000 } }]);
    const { id } = await runToEnd(runtime, "lead");
    const [result] = await resultsOf(runtime, id);
    const { status, output, execution_id } = JSON.parse(String(result?.["content"]));
    assert.equal(status, "success");
    assert.ok(output.startsWith(text.repeat(5_000)));
    assert.ok(output.isWellFormed());
    assert.match(output, /\[This was cut here: it has \d+ characters\.\]$/);
    const whole = (await runtime.getExecution(execution_id)).outputData ?? "";
    assert.equal(whole.length, text.length * 70_000);
  }
  const cause = "Overloaded: ü ".repeat(1_000);
  await place.writeScript("poet", [{ fail: cause, retryable: false }]);
  const [failed] = await resultsOf(runtime, (await runToEnd(runtime, "lead")).id);
  const { error, execution_id } = JSON.parse(String(failed?.["content"]));
  const [, beginning = ""] =
    /^([^]*)\n\[This was cut here: it has \d+ characters\.\]$/.exec(error) ?? [];
  const whole = (await runtime.getExecution(execution_id)).error ?? "";
  assert.ok(whole.includes(cause) && whole.startsWith(beginning));
  const bytes = new TextEncoder().encode(JSON.stringify(beginning)).length;
  assert.ok(bytes > 3_900 && bytes <= 4_000, `${bytes} bytes`);
});

const LEAD = [{ call: [delegate("asker")] }, { say: "{result}" }];

/** Changes of agents' files while the child waits, with the expected result for the parent. */
const CHANGES: Record<string, [change: (place: TestWorkspace) => Promise<void>, heard: RegExp]> = {
  "calls nobody any more": [(place) => place.writeScript("lead", LEAD), /Said red/],
  "calls another one": [(place) => place.writeScript("lead", LEAD, "agents: [other]"), /Said red/],
  "guards run_agent now": [
    (place) => writeAsking(place, "agents: [asker]\nconfirm: [run_agent]"),
    /Said red/,
  ],
  "has a child that is disabled now": [
    (place) => place.writeScript("asker", [ASK, { say: "Said {result}" }], "enabled: false"),
    /Said red/,
  ],
  "has a child whose file is gone": [
    (place) => Deno.remove(join(place.agentsDir, "asker.md")),
    /"status":"error".*Agent 'asker' no longer exists/,
  ],
};

Deno.test("a parent gets its child's result, even if an agent's file was edited meanwhile", async () => {
  await using place = await createTestWorkspace();
  await using runtime = await place.open();
  for (const [index, [name, [change, heard]]] of Object.entries(CHANGES).entries()) {
    await writeAsking(place);
    const { id } = await runToEnd(runtime, "lead");
    await change(place);
    await runtime.reloadAgents();
    const ended = await answerToEnd(runtime, id, { text: "red" });
    assert.equal(ended.status, "success", name);
    assert.match(ended.outputData ?? "", heard, name);
    assert.equal((await idsOf(runtime, "asker")).length, index + 1, name);
  }
});

Deno.test("an answer to a child ends child and parent if the parent's file is gone", async () => {
  await using place = await createTestWorkspace();
  await writeAsking(place);
  await place.writeScript("asker", [ASK, { say: "Late.", delay_ms: 3_600_000 }]);
  await using runtime = await place.open({ clock: new TestClock() });
  const { id } = await runToEnd(runtime, "lead");
  await Deno.remove(join(place.agentsDir, "lead.md"));
  await runtime.reloadAgents();
  const [child = 0] = await idsOf(runtime, "asker");
  await answer(runtime, child, { text: "red" });
  const ended = await toEnd(runtime, id);
  assert.deepEqual([ended.status, ended.error], ["error", "Agent 'lead' no longer exists"]);
  await untilStatus(runtime, child, "aborted");
});

Deno.test("a running child is resumed after a stop although its parent waits with a question", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("lead", [
    { call: [delegate("asker"), call("file_write", { path: "own.txt", content: "x" })] },
    { say: "{result}" },
  ], "agents: [asker]");
  const steps = [ASK, { say: "Said {result}", delay_ms: 5_000 }];
  await place.writeScript("asker", steps, "on_restart: resume");
  const clock = new TestClock();
  let lead: number, child: number;
  {
    await using runtime = await place.open({ clock });
    ({ id: lead } = await runtime.run("lead", {}));
    await toEnd(runtime, lead);
    [child = 0] = await idsOf(runtime, "asker");
    await answer(runtime, child, { text: "red" });
    await until(() => clock.awaits(5_000), "the child at its model");
  }
  await using runtime = await place.open({ clock });
  const expected = ["waiting", "running"];
  assert.deepEqual([await statusOf(runtime, lead), await statusOf(runtime, child)], expected);
  await until(() => clock.awaits(5_000), "the child at its model again");
  await clock.advance(5_000);
  await untilStatus(runtime, child, "success");
  assert.equal((await answerToEnd(runtime, lead, { approved: false })).status, "success");
  const [first] = await resultsOf(runtime, lead);
  assert.match(String(first?.["content"]), /Said red/);
});

/** The members of a family that have `on_restart: resume`, with the expected ends of parent and child. */
const FAMILIES = {
  both: ["success", "success"],
  parent: ["success", "aborted"],
  // With PostgreSQL, a machine claims single executions and finds that no parent waits for this child.
  child: ["aborted", IS_POSTGRES ? "aborted" : "orphaned"],
  neither: ["aborted", "aborted"],
};

Deno.test("after a stop every family of executions ends, whatever on_restart of its agents says", async () => {
  await using place = await createTestWorkspace();
  const families = Object.keys(FAMILIES);
  for (const resumed of families) {
    const lines = (who: string) => ["both", who].includes(resumed) ? "on_restart: resume" : "";
    const steps = [{ call: [delegate(`slow_${resumed}`)] }, { say: "{result}" }];
    const own = `agents: [slow_${resumed}]\n${lines("parent")}`.trim();
    await place.writeScript(`lead_${resumed}`, steps, own);
    const slow = [{ say: "Slow.", delay_ms: 5_000 }];
    await place.writeScript(`slow_${resumed}`, slow, lines("child"));
  }
  const clock = new TestClock();
  {
    await using runtime = await place.open({ clock });
    for (const resumed of families) await runtime.run(`lead_${resumed}`, {});
    await until(() => clock.countAwaiting(5_000) === families.length, "the children's models");
    await runtime.stop({ graceMs: 0 });
  }
  await using runtime = await place.open({ clock });
  await until(() => clock.awaits(5_000), "the model again, of both");
  await clock.advance(5_000);
  for (const [resumed, expected] of Object.entries(FAMILIES)) {
    const [lead = 0] = await idsOf(runtime, `lead_${resumed}`);
    const [slow = 0, ...more] = await idsOf(runtime, `slow_${resumed}`);
    const parent = await toEnd(runtime, lead);
    const child = await toEnd(runtime, slow);
    assert.deepEqual([parent.status, child.status, more], [...expected, []], resumed);
    if (resumed === "parent") assert.match(parent.outputData ?? "", /Aborted: service stopped/);
  }
  assert.deepEqual(await runtime.countExecutions(), { running: 0, waiting: 0, resting: 0 });
  const taken = place.logged.filter(({ message }) => /comes from another machine/.test(message))
    .map(({ fields }) => fields["execution"]);
  assert.deepEqual(taken, [...new Set(taken)], "who stops takes nothing again");
});

Deno.test("retention keeps a child as long as its parent, to prevent a second start", async () => {
  await using place = await createTestWorkspace();
  await place.configure("defaults: { log_retention_days: 7, checkpoint_retention_days: 7 }\n");
  const steps = doing(delegate("asker"), call("file_write", { path: "own.txt", content: "x" }));
  await place.writeScript("lead", steps, "agents: [asker]");
  await place.writeScript("asker", [ASK, { say: "Said {result}" }]);
  const clock = new TestClock();
  let lead: number, child: number;
  {
    await using runtime = await place.open({ clock });
    ({ id: lead } = await runtime.run("lead", {}));
    await toEnd(runtime, lead);
    [child = 0] = await idsOf(runtime, "asker");
    await answerToEnd(runtime, child, { text: "red" });
  }
  clock.jump(30 * DAY_MS);
  {
    await using runtime = await place.open({ clock });
    assert.equal((await answerToEnd(runtime, lead, { approved: false })).status, "success");
    assert.deepEqual(await idsOf(runtime, "asker"), [child]);
    const [first] = await resultsOf(runtime, lead);
    assert.match(String(first?.["content"]), /Said red/);
  }
  // The parent has just ended. Its child ended long ago and is kept as long as the parent.
  clock.jump(DAY_MS);
  {
    await using runtime = await place.open({ clock });
    assert.equal((await runtime.getExecution(lead)).children.count, 1);
  }
  clock.jump(30 * DAY_MS);
  await using runtime = await place.open({ clock });
  assert.deepEqual(await runtime.listExecutions({ limit: 50, offset: 0 }), []);
});

Deno.test("a forced purge of the child's agent resumes the parent", async () => {
  await using place = await createTestWorkspace();
  await writeAsking(place, "agents: [asker]\non_pending: parallel");
  await using runtime = await place.open();
  const { id } = await runToEnd(runtime, "lead");
  assert.equal(await runtime.purgeCheckpoints({ agentId: "asker", force: true }), 1);
  assert.match((await toEnd(runtime, id)).outputData ?? "", /its conversation was purged/);
  for (let n = 0; n < 3; n++) await runToEnd(runtime, "lead");
  assert.ok(await runtime.purgeCheckpoints({ force: true }) >= 6);
  for (const { id, status, error } of await runtime.listExecutions({ limit: 6, offset: 0 })) {
    const expected = ["aborted", "Aborted: its conversation was purged"];
    assert.deepEqual([status, error], expected, `execution ${id}`);
  }
});

Deno.test("retention keeps a parent as long as a child that ended later", async () => {
  await using place = await createTestWorkspace();
  await place.configure("defaults: { log_retention_days: 7 }\n");
  await place.writeScript("lead", doing(delegate("helper")), "agents: [helper]");
  await place.writeScript("helper", [{ say: "Done." }]);
  const clock = new TestClock();
  let lead: number;
  {
    await using runtime = await place.open({ clock });
    ({ id: lead } = await runToEnd(runtime, "lead", {}));
  }
  // A stop ends a parent, and the next start ends the child that a kill left behind.
  const later = "UPDATE executions SET finished_at = finished_at + ? WHERE agent_id = 'helper'";
  await place.run(later, 5 * DAY_MS);
  clock.jump(10 * DAY_MS);
  {
    await using runtime = await place.open({ clock });
    assert.equal((await runtime.getExecution(lead)).children.count, 1);
  }
  clock.jump(10 * DAY_MS);
  await using runtime = await place.open({ clock });
  assert.deepEqual(await runtime.listExecutions({ limit: 50, offset: 0 }), []);
});
