// Tests executions whose agent's file cannot be read after a restart: they wait for the file and are not lost.
import assert from "node:assert/strict";
import { AgentUnreadable } from "../../../runtime/executions/refusals.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace, type TestWorkspace, toEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { answer, answerToEnd, ASK, delegate, idsOf, resultsOf, statusOf } from "./executions_of.ts";
import { stopAtModel, stopWaiting, untilStatus } from "./executions_of.ts";

const BROKEN = "---\nbad: [\n---\n";
const RESUME = "on_restart: resume";
const SLOW = [{ say: "Slow but sure.", delay_ms: 5_000 }];

const writeAsking = (place: TestWorkspace, lines?: string) =>
  place.writeScript("asker", [ASK, { say: "Said {result}" }], lines);

/** Waits for the run's model call, lets the model reply, and asserts the run's answer. */
async function think(runtime: Runtime, id: number, clock: TestClock): Promise<void> {
  await until(() => clock.awaits(5_000), "its model");
  await clock.advance(5_000);
  assert.equal((await toEnd(runtime, id)).outputData, "Slow but sure.");
}

Deno.test("an answer is refused as long as the agent's file cannot be read", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock();
  await writeAsking(place);
  const id = await stopWaiting(place, "asker", { clock });
  await place.writeAgent("asker", BROKEN);
  await using runtime = await place.open({ clock });
  await assert.rejects(
    answer(runtime, id, { text: "red" }),
    {
      name: "AgentUnreadable",
      code: "conflict",
      message: /^Agent 'asker' cannot be read: asker\.md:\d+:\d+: .+; fix the file and try again$/,
    },
  );
  assert.equal(await statusOf(runtime, id), "waiting");
  assert.equal((await runtime.pendingRequest(id)).message, "Which?");
  await writeAsking(place);
  await runtime.reloadAgents();
  assert.equal((await answerToEnd(runtime, id, { text: "red" })).outputData, "Said red");
});

Deno.test("an answer is refused while a waiting ancestor's file cannot be read", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock();
  const writeLead = () =>
    place.writeScript("lead", [{ call: [delegate("asker")] }, { say: "Done." }], "agents: [asker]");
  await writeLead();
  await writeAsking(place);
  const id = await stopWaiting(place, "lead", { clock });
  await place.writeAgent("lead", BROKEN);
  await using runtime = await place.open({ clock });
  const [child = 0] = await idsOf(runtime, "asker");
  for (const one of [id, child]) {
    await assert.rejects(answer(runtime, one, { text: "red" }), /Agent 'lead' cannot be read/);
  }
  // The child's end resumes the parent after the parent's file is repaired.
  await runtime.cancel(child);
  await untilStatus(runtime, id, "running");
  await writeLead();
  await runtime.reloadAgents();
  assert.equal((await toEnd(runtime, id)).outputData, "Done.");
  assert.match(String((await resultsOf(runtime, id))[0]?.["content"]), /Cancelled by user/);
});

Deno.test("a deadline is handled once the agent's file can be read, without delaying others", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock();
  await writeAsking(place, "confirm_timeout: 60s");
  await place.writeScript("other", [ASK, { say: "Other {result}" }], "confirm_timeout: 90s");
  const id = await stopWaiting(place, "asker", { clock });
  const other = await stopWaiting(place, "other", { clock });
  await place.writeAgent("asker", BROKEN);
  await using runtime = await place.open({ clock });
  await clock.skip(100_000);
  await untilStatus(runtime, other, "success");
  assert.equal(await statusOf(runtime, id), "waiting");
  await runtime.reloadAgents();
  await clock.skip(600_000);
  assert.equal(await statusOf(runtime, id), "waiting");
  const told = place.logged.filter(({ message }) => message.startsWith("No answer in time"));
  assert.equal(told.length, 1);
  await writeAsking(place, "confirm_timeout: 60s");
  await runtime.reloadAgents();
  await untilStatus(runtime, id, "success");
  assert.match((await toEnd(runtime, id)).outputData ?? "", /timeout/);
});

Deno.test("a resumable run waits until its agent's file can be read, across restarts", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock();
  await place.writeScript("slow", SLOW, RESUME);
  const id = await stopAtModel(place, "slow", { clock, ms: 5_000 });
  await place.writeAgent("slow", BROKEN);
  for (let restart = 0; restart < 2; restart++) {
    await using runtime = await place.open({ clock });
    assert.deepEqual(await runtime.countExecutions(), { running: 1, waiting: 0, resting: 0 });
    await runtime.reloadAgents();
    assert.equal(await statusOf(runtime, id), "running");
    // The grace period is skipped, because no run would end within it.
    await runtime.stop({ graceMs: 8_000 });
  }
  await using runtime = await place.open({ clock });
  await place.writeScript("slow", SLOW, RESUME);
  await Promise.all([runtime.reloadAgents(), runtime.reloadAgents()]);
  await think(runtime, id, clock);
  await runtime.reloadAgents();
  assert.deepEqual(await runtime.countExecutions(), { running: 0, waiting: 0, resting: 0 });
  assert.equal(clock.awaits(5_000), false);
});

Deno.test("a run that waits for its agent's file can be cancelled or become orphaned", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock();
  const ids: Record<string, number> = {};
  for (const name of ["cancelled", "orphan", "removed"]) {
    await place.writeScript(name, SLOW, RESUME);
    ids[name] = await stopAtModel(place, name, { clock, ms: 5_000 });
    await place.writeAgent(name, BROKEN);
  }
  await using runtime = await place.open({ clock });
  assert.equal(await runtime.cancel(ids["cancelled"]!), "cancelling");
  await place.writeScript("orphan", SLOW);
  await Deno.remove(`${place.agentsDir}/removed.md`);
  await runtime.reloadAgents();
  const cases = [["cancelled", "aborted"], ["orphan", "orphaned"], ["removed", "orphaned"]];
  for (const [name, status] of cases) {
    const ended = await toEnd(runtime, ids[name!]!);
    assert.equal(ended.status, status);
    if (status === "aborted") assert.equal(ended.error, "Cancelled by user");
  }
});

for (const broken of [["lead", "slow"], ["slow", "lead"]]) {
  Deno.test(`a parent and its child continue after a repair of their files: ${broken.join(", then ")}`, async () => {
    await using place = await createTestWorkspace();
    const clock = new TestClock();
    const write = async (ids: readonly string[]) => {
      if (ids.includes("slow")) await place.writeScript("slow", SLOW, RESUME);
      if (!ids.includes("lead")) return;
      const steps = [{ call: [delegate("slow")] }, { say: "{result}" }];
      await place.writeScript("lead", steps, `agents: [slow]\n${RESUME}`);
    };
    await write(["lead", "slow"]);
    const id = await stopAtModel(place, "lead", { clock, ms: 5_000 });
    for (const agent of broken) await place.writeAgent(agent, BROKEN);
    await using runtime = await place.open({ clock });
    assert.deepEqual(await runtime.countExecutions(), { running: 2, waiting: 0, resting: 0 });
    for (const agent of broken) {
      await write([agent]);
      await runtime.reloadAgents();
    }
    const [child = 0] = await idsOf(runtime, "slow");
    await think(runtime, child, clock);
    assert.match((await toEnd(runtime, id)).outputData ?? "", /Slow but sure\./);
    assert.equal((await idsOf(runtime, "slow")).length, 1);
  });
}

Deno.test("an unreadable agents directory at the start ends no execution", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock();
  await place.writeScript("slow", SLOW, RESUME);
  await writeAsking(place);
  const asking = await stopWaiting(place, "asker", { clock });
  const slow = await stopAtModel(place, "slow", { clock, ms: 5_000 });
  await Deno.rename(place.agentsDir, `${place.agentsDir}.away`);
  // A file in place of the agents directory exists but cannot be listed.
  await Deno.writeTextFile(place.agentsDir, "");
  await using runtime = await place.open({ clock });
  await assert.rejects(answer(runtime, asking, { text: "red" }), AgentUnreadable);
  assert.equal(await statusOf(runtime, slow), "running");
  await Deno.remove(place.agentsDir);
  await Deno.rename(`${place.agentsDir}.away`, place.agentsDir);
  await runtime.reloadAgents();
  await think(runtime, slow, clock);
  assert.equal((await answerToEnd(runtime, asking, { text: "red" })).outputData, "Said red");
});
