import assert from "node:assert/strict";
import fc from "fast-check";
import type { UsageStep } from "../../../runtime/executions/usage.ts";
import { lastDays, toDailyUsage, USAGE_STEP_MS } from "../../../runtime/executions/usage.ts";

const at = (text: string) => Date.parse(text);

function step(start: string, changes: Partial<UsageStep> = {}): UsageStep {
  return {
    start: at(start),
    agentId: "a",
    executions: 1,
    succeeded: 1,
    failed: 0,
    durationMs: 0,
    inputTokens: 10,
    outputTokens: 5,
    totalTokens: 15,
    costUsd: null,
    ...changes,
  };
}

Deno.test("toDailyUsage() sums a day's usage by agent, and a sum of unknown costs is unknown", () => {
  const steps = [
    step("2026-01-01T22:45:00Z"),
    step("2026-01-01T23:00:00Z", { costUsd: 0.5 }),
    step("2026-01-01T23:00:00Z", { agentId: "b", succeeded: 0, failed: 1 }),
    step("2026-01-02T10:00:00Z", { executions: 3, succeeded: 2 }),
  ];
  const days = (timeZone: string) =>
    toDailyUsage(steps, lastDays(at("2026-01-02T12:00:00Z"), { count: 3, timeZone })).map((
      { date, agentId, executions, costUsd },
    ) => [date, agentId, executions, costUsd].join(" "));
  assert.deepEqual(days("UTC"), ["2026-01-01 a 2 0.5", "2026-01-01 b 1 ", "2026-01-02 a 3 "]);
  const expected = ["2026-01-01 a 1 ", "2026-01-02 a 4 0.5", "2026-01-02 b 1 "];
  assert.deepEqual(days("Europe/Berlin"), expected);
});

Deno.test("toDailyUsage() loses no usage in any time zone", () => {
  const zones = Intl.supportedValuesOf("timeZone");
  fc.assert(fc.property(
    fc.constantFrom(...zones),
    fc.array(fc.tuple(fc.nat(4_000), fc.constantFrom("a", "b")), { maxLength: 30 }),
    (timeZone, places) => {
      // Many time zones change to summer time in March.
      const first = at("2026-03-02T00:00:00Z");
      const steps = places.toSorted(([a], [b]) => a - b).map(([n, agentId]) =>
        step("2026-03-02", { start: first + n * USAGE_STEP_MS, agentId })
      );
      const days = lastDays(first + 4_100 * USAGE_STEP_MS, { count: 60, timeZone });
      const usage = toDailyUsage(steps, days);
      assert.equal(usage.reduce((sum, one) => sum + one.executions, 0), steps.length);
      assert.equal(new Set(usage.map(({ date, agentId }) => date + agentId)).size, usage.length);
      for (const { start } of steps) {
        const zoned = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(timeZone);
        const date = String(zoned.toPlainDate());
        assert.ok(usage.some((one) => one.date === date), `${timeZone} ${date}`);
      }
      for (const { start } of days) assert.equal(start % USAGE_STEP_MS, 0, timeZone);
    },
  ));
});
