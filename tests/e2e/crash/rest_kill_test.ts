// A test of kill -9 around rests: each run rests again or goes on, and each rest ends once.
import assert from "node:assert/strict";
import { call, resultsOf } from "../../runtime/executions/executions_of.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace, payloadsOf } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { type Death, startAndDie } from "./start_and_die.ts";

/**
 * The calls of the store around a rest: its beginning, its end and its result, each with the duration of the rest. The end
 * of a rest is last, because the killed service ends no rest after it.
 */
const DEATHS: readonly (Death & { rest: string })[] = [
  { agent: "tired", rest: "1h", method: "restExecution", when: "before", nth: 1 },
  { agent: "rests", rest: "1h", method: "restExecution", when: "after", nth: 1 },
  { agent: "rested", rest: "1s", method: "finishCall", when: "before", nth: 1 },
  { agent: "wakes", rest: "2s", method: "endRest", when: "after", nth: 1 },
];

Deno.test("kill -9 around rests: each rest ends once", async () => {
  await using place = await createTestWorkspace();
  for (const { agent, rest } of DEATHS) {
    const reply = { call: [call("wait", { for: rest, reason: "the backup" })] };
    await place.writeScript(agent, [reply, reply, { say: "Done." }], "on_restart: resume");
  }
  await startAndDie(place, { start: DEATHS.map(({ agent }) => agent), deaths: [...DEATHS] });
  const clock = new TestClock(new Date().toISOString());
  await using runtime = await place.open({ clock });
  await until(async () => {
    await clock.skip(3_600_000);
    const { running, resting } = await runtime.countExecutions();
    return running + resting === 0;
  }, "all end");
  for (const [index, { agent }] of DEATHS.entries()) {
    const { id, agentId, status } = await runtime.getExecution(index + 1);
    assert.deepEqual([agentId, status], [agent, "success"]);
    const results = (await resultsOf(runtime, id)).map(({ content }) => String(content));
    assert.equal(results.length, 2, agent);
    for (const result of results) assert.match(result, /^Rested \d/);
    const kinds = (await payloadsOf(runtime, id)).map(({ event_type: kind }) => kind);
    assert.equal(kinds.filter((kind) => kind === "complete").length, 1, agent);
  }
});
