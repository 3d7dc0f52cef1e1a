import assert from "node:assert/strict";
import fc from "fast-check";
import {
  lastDays,
  toDailyUsage,
  USAGE_STEP_MS,
  type UsageStep,
} from "../../runtime/executions/usage.ts";

const at = (text: string) => Date.parse(text);

function step(start: string, changes: Partial<UsageStep> = {}): UsageStep {
  return {
    start: at(start),
    agentId: "a",
    executions: 1,
    succeeded: 1,
    failed: 0,
    inputTokens: 10,
    outputTokens: 5,
    totalTokens: 15,
    costUsd: null,
    ...changes,
  };
}

Deno.test("lastDays() ends today, in the zone's own sense, and begins at its midnight", () => {
  const now = at("2026-03-29T22:30:00Z");
  assert.deepEqual(lastDays(now, { count: 2, timeZone: "UTC" }), {
    dates: ["2026-03-28", "2026-03-29"],
    from: at("2026-03-28T00:00:00Z"),
  });
  // Half past midnight of the 30th there; the day before had 23 hours.
  assert.deepEqual(lastDays(now, { count: 2, timeZone: "Europe/Berlin" }), {
    dates: ["2026-03-29", "2026-03-30"],
    from: at("2026-03-28T23:00:00Z"),
  });
});

Deno.test("toDailyUsage() adds up the steps of a day by agent; a cost is unknown only where all are", () => {
  const steps = [
    step("2026-01-01T22:45:00Z"),
    step("2026-01-01T23:00:00Z", { costUsd: 0.5 }),
    step("2026-01-01T23:00:00Z", { agentId: "b", succeeded: 0, failed: 1 }),
    step("2026-01-02T10:00:00Z", { executions: 3, succeeded: 2 }),
  ];
  const days = (timeZone: string) =>
    toDailyUsage(steps, timeZone).map(({ date, agentId, executions, costUsd }) =>
      [date, agentId, executions, costUsd].join(" ")
    );
  assert.deepEqual(days("UTC"), [
    "2026-01-01 a 2 0.5",
    "2026-01-01 b 1 ",
    "2026-01-02 a 3 ",
  ]);
  assert.deepEqual(days("Europe/Berlin"), [
    "2026-01-01 a 1 ",
    "2026-01-02 a 4 0.5",
    "2026-01-02 b 1 ",
  ]);
});

Deno.test("toDailyUsage() loses nothing, and every zone's midnight falls on a step", () => {
  const zones = Intl.supportedValuesOf("timeZone");
  fc.assert(fc.property(
    fc.constantFrom(...zones),
    fc.array(fc.tuple(fc.nat(4_000), fc.constantFrom("a", "b")), { maxLength: 30 }),
    (timeZone, places) => {
      const first = at("2026-01-01T00:00:00Z");
      const steps = places.map(([n, agentId]) =>
        step("2026-01-01", { start: first + n * USAGE_STEP_MS, agentId })
      );
      const days = toDailyUsage(steps, timeZone);
      assert.equal(days.reduce((sum, one) => sum + one.executions, 0), steps.length);
      assert.equal(new Set(days.map(({ date, agentId }) => date + agentId)).size, days.length);
      const { from } = lastDays(first + 86_400_000 * 200, { count: 30, timeZone });
      assert.equal(from % USAGE_STEP_MS, 0, timeZone);
    },
  ));
});
