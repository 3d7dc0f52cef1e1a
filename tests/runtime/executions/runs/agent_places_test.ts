import assert from "node:assert/strict";
import { createTestAgent } from "../../../support/test_agent.ts";
import { openTestRunner } from "../../../support/test_runner.ts";
import { createTestWorkspace } from "../../../support/test_workspace.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";
import { untilStatus } from "../executions_of.ts";

Deno.test("max_concurrent_runs limits an agent's runs, and further runs wait in order", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock();
  const lines = "max_concurrent_runs: 2\non_pending: parallel";
  await place.writeScript("slow", [{ say: "Done.", delay_ms: 1_700 }], lines);
  await place.writeScript("other", [{ say: "Done." }]);
  await using runtime = await place.open({ clock });
  const ids: number[] = [];
  const ended = async () =>
    (await runtime.listExecutions({ statuses: ["success"], agentId: "slow", limit: 9, offset: 0 }))
      .map(({ id }) => id).sort((a, b) => a - b);
  const notices = async (id: number) =>
    (await runtime.readFrames(id, { after: 0 })).map(({ payload }) => JSON.parse(payload).message)
      .filter((message) => /max_concurrent_runs/.test(message));
  for (let i = 0; i < 5; i++) {
    const { id } = await runtime.run("slow", {});
    ids.push(id);
    if (i < 2) await until(() => clock.countAwaiting(1_700) === i + 1, "it begins");
    else await until(async () => (await notices(id)).length === 1, "it waits");
  }
  assert.deepEqual(await notices(ids[1] ?? 0), []);
  assert.deepEqual(await notices(ids[2] ?? 0), [
    "Waits for other runs of this agent: max_concurrent_runs is 2",
  ]);
  // A run of another agent does not wait.
  const { id } = await runtime.run("other", {});
  await untilStatus(runtime, id, "success");
  for (const [begun, expected] of [[2, 2], [2, 4], [1, 5]] as const) {
    await until(() => clock.countAwaiting(1_700) === begun, "the next ones began");
    await clock.advance(1_700);
    await until(async () => (await ended()).length === expected, `${expected} have ended`);
    assert.deepEqual(await ended(), ids.slice(0, expected));
  }
});

Deno.test("max_concurrent_runs counts no delegated run and no run that waits for a person", async () => {
  const agent = createTestAgent({ maxConcurrentRuns: 1, onPending: "parallel" });
  await using on = await openTestRunner([agent]);
  const spec = { trigger: "manual" as const, request: { args: [] }, sessionId: null };
  const first = await on.runner.start(agent, spec);
  const second = await on.runner.start(agent, spec);
  const waits = async (id: number) =>
    (await on.store.executions.readExecution(id))?.execution.status === "waiting";
  await until(() => waits(first.id), "the first one asks");
  await until(() => waits(second.id), "the second one asks");
  const child = await on.runner.start(agent, {
    ...spec,
    trigger: "agent",
    parent: { executionId: first.id, position: 2 },
    depth: 1,
  });
  await until(() => waits(child.id), "the delegated one asks");
  assert.equal(await on.runner.cancel(second.id), "aborted");
});
