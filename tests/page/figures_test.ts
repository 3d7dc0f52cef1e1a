// Tests of the views' calculations: usage by agent, marks on a time line, formatted numbers.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { SlotBody } from "../../api/schemas/scheduler_schemas.ts";
import {
  describeMarks,
  isKnownEmpty,
  kindOf,
  labelsWithin,
  toMarks,
} from "../../page/state/day_marks.ts";
import {
  formatCost,
  formatDuration,
  formatRelative,
  toCostFormat,
  toDayName,
} from "../../page/parts/format.ts";
import { toTicks } from "../../page/state/usage_sums.ts";
import { foldFailures } from "../../page/state/fold_failures.ts";
import { resumeVisit, serializeVisit, startOfSpan } from "../../page/state/visit.ts";
import { isAtLeast, parseLogLine } from "../../page/state/log_line.ts";
import {
  COLOURS,
  type Series,
  sortSeries,
  sum,
  toBars,
  toColours,
  toSeries,
  withOthers,
} from "../../page/state/usage_sums.ts";
import type { ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import type { StatsBody } from "../../api/schemas/report_schemas.ts";

const DAYS = ["2026-01-01", "2026-01-02", "2026-01-03"];

const stats: fc.Arbitrary<StatsBody> = fc.uniqueArray(
  fc.record({
    date: fc.constantFrom(...DAYS),
    agent_id: fc.constantFrom(..."abcdefghij"),
    executions: fc.nat(50),
    succeeded: fc.nat(20),
    failed: fc.nat(20),
    input_tokens: fc.nat(500),
    output_tokens: fc.nat(500),
    duration_ms: fc.nat(9_000),
    total_tokens: fc.nat(1_000),
    cost_usd: fc.option(fc.nat(100)),
  }),
  { selector: ({ date, agent_id }) => date + agent_id },
).map((usage) => ({ timezone: "UTC", days: DAYS, usage }));

Deno.test("toBars() keeps the totals when many agents share a color", () => {
  fc.assert(fc.property(stats, (one) => {
    for (const measure of ["total_tokens", "cost_usd"] as const) {
      const all = toSeries(one, measure);
      const series = withOthers(all);
      assert.ok(series.length <= COLOURS);
      assert.deepEqual(sum(series), sum(all));
      const most = all.map((agent) => agent[measure] ?? 0);
      assert.deepEqual(most, most.toSorted((a, b) => b - a));
      const beside = withOthers(toSeries(one));
      const colours = toColours(series, beside);
      assert.equal(new Set(colours).size, series.length);
      for (const [index, { agentId }] of series.entries()) {
        assert.ok((colours[index] ?? 9) < COLOURS);
        const there = beside.findIndex((agent) => agent.agentId === agentId);
        if (there >= 0) assert.equal(colours[index], there);
      }
      const bars = toBars(one, { series, measure });
      assert.deepEqual(bars.map(({ date }) => date), DAYS);
      const expected = one.usage.reduce((before, usage) => before + (usage[measure] ?? 0), 0);
      assert.equal(bars.reduce((before, { total }) => before + total, 0), expected);
      for (const { values, total } of bars) {
        assert.equal(values.reduce((before, value) => before + value, 0), total);
      }
    }
  }));
});

Deno.test("sum() adds the known costs, and returns null if none is known", () => {
  const one = { executions: 1, succeeded: 1, failed: 0, total_tokens: 1 };
  assert.equal(sum([{ ...one, cost_usd: null }, { ...one, cost_usd: null }]).cost_usd, null);
  assert.equal(sum([{ ...one, cost_usd: null }, { ...one, cost_usd: 0.5 }]).cost_usd, 0.5);
});

const HOUR = 3_600_000;
const FROM = Date.parse("2026-01-01T00:00:00Z");

Deno.test("toMarks() places past and next times within the period", () => {
  const slot = (hours: number, changes: Partial<SlotBody> = {}): SlotBody => ({
    scheduled_for: new Date(FROM + hours * HOUR).toISOString(),
    outcome: "run",
    reason: null,
    execution_id: 3,
    count: 1,
    ...changes,
  });
  const day = { from: FROM, to: FROM + 24 * HOUR };
  const slots = [slot(6, { outcome: "missed", count: 4 }), slot(0), slot(-1)];
  // Upcoming times within half an hour are one mark.
  const upcoming = [18, 18.25, 24, 30].map((hours) => new Date(FROM + hours * HOUR).toISOString());
  const marks = toMarks({ slots, upcoming }, day);
  assert.deepEqual(marks.map(({ kind, place }) => `${kind} ${place}`), [
    ...["started 0", "missed 0.25", "upcoming 0.75"],
  ]);
  assert.equal(
    describeMarks(marks, (at) => new Date(at).toISOString().slice(11, 16)),
    "1 run, 0 skipped, 4 missed; next 18:00",
  );
});

Deno.test("kindOf() returns the kind of a run's mark by the run's status", () => {
  const slot: SlotBody = {
    scheduled_for: new Date(FROM).toISOString(),
    outcome: "run",
    reason: null,
    execution_id: 3,
    count: 1,
  };
  const kinds = [undefined, "running", "waiting", "success", "error", "timeout"] as const;
  assert.deepEqual(kinds.map((status) => kindOf({ ...slot, status })), [
    ...["started", "running", "waiting", "success", "failed", "failed"],
  ]);
  const marks = kinds.map((status, hour) => ({
    ...{ ...slot, status },
    scheduled_for: new Date(FROM + hour * HOUR).toISOString(),
  }));
  const day = { from: FROM, to: FROM + 24 * HOUR };
  assert.equal(
    describeMarks(toMarks({ slots: marks, upcoming: [] }, day), String),
    "6 runs (2 failed, 1 waiting, 1 running), 0 skipped, 0 missed",
  );
  assert.equal(kindOf({ ...slot, outcome: "skipped", status: "success" }), "skipped");
});

Deno.test("isKnownEmpty() returns true only for a known period without times", () => {
  const day = { from: FROM, to: FROM + 24 * HOUR };
  const at = (hours: number) => new Date(FROM + hours * HOUR).toISOString();
  const none = { slots: [], upcoming: [at(30)] };
  assert.equal(isKnownEmpty(none, { day, knownTo: null }), true);
  assert.equal(isKnownEmpty(none, { day, knownTo: FROM + 30 * HOUR }), true);
  assert.equal(isKnownEmpty(none, { day, knownTo: FROM - HOUR }), false);
  assert.equal(isKnownEmpty({ slots: [], upcoming: [at(18)] }, { day, knownTo: null }), false);
});

Deno.test("toMarks() merges times that are too close, and counts them", () => {
  const day = { from: FROM, to: FROM + 24 * HOUR };
  const times = fc.uniqueArray(fc.nat(24 * 60 - 1), { maxLength: 600 });
  const outcome = fc.constantFrom("run" as const, "skipped" as const);
  fc.assert(fc.property(times, fc.infiniteStream(outcome), (minutes, outcomes) => {
    const slots = minutes.map((minute): SlotBody => ({
      scheduled_for: new Date(FROM + minute * 60_000).toISOString(),
      outcome: outcomes.next().value ?? "run",
      reason: null,
      execution_id: minute,
      count: 1,
    }));
    const marks = toMarks({ slots, upcoming: [] }, day);
    assert.equal(marks.reduce((before, { count }) => before + count, 0), slots.length);
    for (const [kind, outcome] of [["started", "run"], ["skipped", "skipped"]]) {
      const places = marks.filter((mark) => mark.kind === kind).map(({ place }) => place);
      assert.ok(places.length <= 288);
      // Each mark links to the latest execution that it represents.
      const ids = marks.filter((mark) => mark.kind === kind).map(({ executionId }) => executionId);
      const newest = slots.filter((slot) => slot.outcome === outcome)
        .map(({ execution_id }) => execution_id ?? 0);
      assert.equal(ids.at(-1) ?? 0, Math.max(0, ...newest));
    }
  }));
});

Deno.test("labelsWithin() returns every third hour of the local clock", () => {
  for (const at of labelsWithin({ from: FROM + 1, to: FROM + 24 * HOUR })) {
    const date = new Date(at);
    assert.deepEqual([date.getHours() % 3, date.getMinutes()], [0, 0]);
  }
  assert.equal(labelsWithin({ from: FROM + 1, to: FROM + 24 * HOUR }).length, 8);
});

Deno.test("formatDuration(), formatRelative() and formatCost() format values for people", () => {
  assert.deepEqual([400, 12_000, 185_000, 7_440_000, 90_000_000].map(formatDuration), [
    ...["400 ms", "12 s", "3 min 5 s", "2 h 4 min", "1 d 1 h"],
  ]);
  const relative = (distance: number) => formatRelative(FROM + distance, FROM);
  assert.deepEqual([0, 300_000, -3 * HOUR, -40 * HOUR, 2_000].map(relative), [
    ...["just now", "in 5 min", "3 h ago", "1 d ago", "in a moment"],
  ]);
  assert.deepEqual([null, 0, 0.00001, 0.0042, 0.034, 1.25, 1234.5].map(formatCost), [
    ...["unknown", "$0", "under $0.0001", "$0.0042", "$0.034", "$1.25", "$1,234.50"],
  ]);
});

Deno.test("toCostFormat() gives all costs of a column the decimals of the smallest cost", () => {
  const column = [12.5, 0, null, 0.0042, 0.3];
  assert.deepEqual(column.map(toCostFormat(column)), [
    ...["$12.5000", "$0.0000", "unknown", "$0.0042", "$0.3000"],
  ]);
  assert.deepEqual([12.5, 0, 1_234].map(toCostFormat([12.5, 0, 1_234])), [
    ...["$12.50", "$0.00", "$1,234.00"],
  ]);
});

Deno.test("toDayName() returns the local day of a time", () => {
  assert.equal(toDayName(new Date(2026, 0, 9, 23, 59).getTime()), "2026-01-09");
});

Deno.test("toTicks() returns a few round steps from 0 to the highest value", () => {
  assert.deepEqual(toTicks(9.1), [0, 2.5, 5, 7.5, 10]);
  assert.deepEqual(toTicks(2, 1), [0, 1, 2]);
  fc.assert(fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (highest) => {
    const ticks = toTicks(highest);
    const top = ticks.at(-1) ?? 0;
    assert.ok(ticks[0] === 0 && top >= highest * (1 - 1e-6) && top <= 3 * highest);
    assert.ok(ticks.length >= 3 && ticks.length <= 5, ticks.join());
  }));
});

Deno.test("sortSeries() sorts by any column in both directions, with unknown values last", () => {
  const one = (agentId: string, cost_usd: number | null, succeeded: number): Series => ({
    ...{ agentId, cost_usd, succeeded },
    ...{ executions: 4, failed: 1, total_tokens: 0 },
  });
  const series = [one("b", null, 3), one("c", 2, 1), one("a", 5, 2)];
  const order = (by: Parameters<typeof sortSeries>[1]["by"], isDescending: boolean) =>
    sortSeries(series, { by, isDescending, nameOf: ({ agentId }) => agentId ?? "" })
      .map(({ agentId }) => agentId).join("");
  assert.equal(order("agent", false), "abc");
  assert.equal(order("agent", true), "cba");
  assert.equal(order("cost_usd", true), "acb");
  assert.equal(order("cost_usd", false), "cab");
  assert.equal(order("succeeded", true), "bac");
});

Deno.test("foldFailures() folds repeated failures of an agent into one row and keeps each success", () => {
  const executions = [
    ...[["a", "error"], ["b", "success"], ["a", "error"], ["b", "success"], ["a", "timeout"]],
    ...[["c", "error"], ["a", "error"]],
  ].map(([agent_id, status], index) => ({ id: 9 - index, agent_id, status } as ExecutionSummary));
  const folded = foldFailures(executions);
  assert.deepEqual(folded.map(({ id, count }) => `${id} x${count}`), [
    ...["9 x3", "8 x1", "6 x1", "5 x1", "4 x1"],
  ]);
});

Deno.test("resumeVisit() returns the end of the previous visit, also after a reload", () => {
  const minutes = (count: number) => FROM + count * 60_000;
  const first = resumeVisit(null, minutes(0));
  assert.equal(first.since, minutes(-24 * 60));
  // The page is visible for an hour, reloaded, and opened again the next morning.
  let look = first;
  for (let minute = 0; minute <= 60; minute += 5) {
    look = resumeVisit(serializeVisit(look), minutes(minute));
  }
  assert.equal(look.since, first.since);
  const morning = resumeVisit(serializeVisit(look), minutes(600));
  assert.equal(morning.since, minutes(60));
  assert.equal(resumeVisit(serializeVisit(morning), minutes(605)).since, minutes(60));
  // Stored values that are invalid or in the future are ignored.
  for (const odd of ["", "x y", "5", `${minutes(9)} ${minutes(900)}`, `${minutes(5)} ${FROM}`]) {
    assert.equal(resumeVisit(odd, minutes(10)).since, minutes(10 - 24 * 60), odd);
  }
});

Deno.test("startOfSpan() returns a time at most a week ago", () => {
  const now = new Date(2026, 0, 9, 15, 30).getTime();
  const since = now - 30 * 24 * HOUR;
  assert.equal(startOfSpan("look", { since, now }), now - 7 * 24 * HOUR);
  assert.equal(startOfSpan("look", { since: now - HOUR, now }), now - HOUR);
  assert.equal(startOfSpan("today", { since, now }), new Date(2026, 0, 9).getTime());
  assert.equal(startOfSpan("day", { since, now }), now - 24 * HOUR);
  assert.equal(startOfSpan("week", { since, now }), now - 7 * 24 * HOUR);
});

Deno.test("parseLogLine() parses a log line, and returns any other text unchanged", () => {
  assert.deepEqual(parseLogLine('2026-01-31T08:30:00.000Z WARN  Odd key="a b"'), {
    at: "2026-01-31T08:30:00.000Z",
    level: "WARN",
    text: 'Odd key="a b"',
  });
  const bare = parseLogLine("error: Uncaught (in promise)");
  assert.deepEqual(bare, { at: null, level: null, text: "error: Uncaught (in promise)" });
  assert.ok(isAtLeast(bare, "ERROR"));
  const info = parseLogLine("2026-01-31T08:30:00.000Z INFO  Ready");
  assert.deepEqual([isAtLeast(info, "INFO"), isAtLeast(info, "WARN")], [true, false]);
});
