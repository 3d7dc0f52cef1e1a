// Tests `settings.max_duration`, the limit of a run's running time without its waits for people.
import assert from "node:assert/strict";
import { SteppedClock, TestClock } from "../../../support/test_clock.ts";
import { createTestWorkspace, toEnd } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { answer, ASK, call, createToolPlace, delegate, FREE, idsOf } from "../executions_of.ts";
import { untilStatus, writeConfig } from "../executions_of.ts";
import { assertIdentical } from "../../replay/replayed.ts";

const MINUTE = 60_000;
const slow = (minutes: number) => ({ say: "Late.", delay_ms: minutes * MINUTE });
const ABORTED = "Aborted: max_duration (5m)";

Deno.test("max_duration ends a run whose model, tool or child takes too long", async () => {
  await using place = await createToolPlace();
  const clock = new TestClock();
  const settings = `settings: { max_duration: 5m, timeout: 3600 }\nagents: [helper]\n${FREE}`;
  await place.writeScript("model", [slow(11)], settings);
  await place.writeScript("tool", [{ call: [call("hang")] }], `${settings}\ncustom_tools: [hang]`);
  await place.writeScript("caller", [{ call: [delegate("helper")] }], settings);
  await place.writeScript("helper", [slow(11)], settings.replace("5m", "20m"));
  await place.writeScript("quick", [slow(4)], settings.replace("5m", "300"));
  const hang =
    "export default { description: 'Hangs.', timeout: 600, run: () => new Promise(() => {}) };";
  await writeConfig(place, "tools/hang.ts", hang);
  await using runtime = await place.open({ clock });
  const waits = { model: 11, tool: 10, caller: 11, quick: 4 };
  for (const [agent, minutes] of Object.entries(waits)) {
    const { id } = await runtime.run(agent, {});
    await until(() => clock.awaits(5 * MINUTE), "the limit");
    await until(() => clock.awaits(minutes * MINUTE), "what takes too long");
    await clock.skip(5 * MINUTE);
    const { status, error } = await toEnd(runtime, id);
    const expected = agent === "quick" ? ["success", null] : ["aborted", ABORTED];
    assert.deepEqual([status, error], expected, agent);
    await assertIdentical(runtime, id);
  }
  const [helped = 0] = await idsOf(runtime, "helper");
  assert.equal((await toEnd(runtime, helped)).error, ABORTED);
});

Deno.test("max_duration does not count waits for a person, even across a restart", async () => {
  await using place = await createTestWorkspace();
  const clock = new TestClock();
  const cases = [[4, "success"], [6, "aborted"]] as const;
  for (const [seconds] of cases) {
    const steps = [{ ...ASK, delay_ms: 5_000 }, { say: "Late.", delay_ms: seconds * 1_000 }];
    await place.writeScript(`asking${seconds}`, steps, "settings: { max_duration: 10 }");
  }
  const ids: number[] = [];
  {
    await using runtime = await place.open({ clock });
    for (const [seconds] of cases) ids.push((await runtime.run(`asking${seconds}`, {})).id);
    await until(() => clock.countAwaiting(5_000) === 2, "their models");
    await clock.advance(5_000);
    for (const id of ids) await untilStatus(runtime, id, "waiting");
  }
  clock.jump(3_600_000);
  await using runtime = await place.open({ clock });
  for (const id of ids) await answer(runtime, id, { text: "This" });
  await until(() => clock.awaits(4_000) && clock.awaits(6_000), "their models again");
  for (const [index, [seconds, expected]] of cases.entries()) {
    // The clock advances in steps, so that a run that ends in time is stored before the limit.
    await clock.advance(index === 0 ? 4_000 : 2_000);
    const { status, durationMs } = await toEnd(runtime, ids[index] ?? 0);
    assert.deepEqual([status, durationMs], [expected, Math.min(10, 5 + seconds) * 1_000]);
  }
});

Deno.test("max_duration and the duration do not count a change of the wall clock during a run", async () => {
  await using place = await createTestWorkspace();
  const clock = new SteppedClock();
  const steps = [{ ...ASK, delay_ms: 5_000 }, { say: "Done.", delay_ms: 4_000 }];
  await place.writeScript("asking", steps, "settings: { max_duration: 10 }");
  await using runtime = await place.open({ clock });
  for (const stepMs of [3_600_000, -3_600_000]) {
    const { id } = await runtime.run("asking", {});
    await until(() => clock.awaits(5_000), "its model");
    clock.step(stepMs);
    await clock.advance(5_000);
    await untilStatus(runtime, id, "waiting");
    await answer(runtime, id, { text: "This" });
    await until(() => clock.awaits(4_000), "its model again");
    await clock.advance(4_000);
    const { status, durationMs } = await toEnd(runtime, id);
    assert.deepEqual([status, durationMs], ["success", 9_000]);
  }
});
