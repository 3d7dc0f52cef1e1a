// Tests of kill -9 around a rest: the run rests again or goes on, and each rest ends once.
import assert from "node:assert/strict";
import { payloadsOf } from "../../support/test_workspace.ts";
import { resultsOf, untilStatus } from "../../runtime/executions/executions_of.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { type DeathOrder, startAndDie } from "./start_and_die.ts";

const rest = { name: "wait", arguments: { for: "1s", reason: "the backup" } };
const STEPS = [{ call: [rest] }, { call: [rest] }, { say: "Done." }];

/** The calls of the store around a rest: its beginning, its end and its result. */
const DEATHS: readonly DeathOrder["crash"][] = [
  { method: "restExecution", when: "before", nth: 1 },
  { method: "restExecution", when: "after", nth: 1 },
  { method: "endRest", when: "after", nth: 1 },
  { method: "finishCall", when: "before", nth: 1 },
];

for (const crash of DEATHS) {
  Deno.test(`kill -9 ${crash.when} ${crash.method} (${crash.nth}) of a rest: each rest ends once`, async () => {
    await using place = await createTestWorkspace();
    await place.writeScript("rests", STEPS, "on_restart: resume");
    await startAndDie(place, { start: ["rests"], crash });
    await using runtime = await place.open();
    await untilStatus(runtime, 1, "success");
    const results = (await resultsOf(runtime, 1)).map(({ content }) => String(content));
    assert.equal(results.length, 2);
    for (const result of results) assert.match(result, /^Rested \d/);
    const kinds = (await payloadsOf(runtime, 1)).map(({ event_type: kind }) => kind);
    assert.equal(kinds.filter((kind) => kind === "complete").length, 1);
    await until(async () => (await runtime.countExecutions()).running === 0, "nothing is left");
  });
}
