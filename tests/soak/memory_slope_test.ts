import assert from "node:assert/strict";
import fc from "fast-check";
import { fitSlope, judgeMemory, lowestOfWindows } from "./memory_slope.ts";

const HOUR_MS = 3_600_000;

Deno.test("fitSlope() finds the growth of memory that lies on a line, whatever it starts from", () => {
  fc.assert(fc.property(
    fc.integer({ min: -100, max: 100 }),
    fc.integer({ min: 0, max: 500 }),
    fc.integer({ min: 3, max: 200 }),
    (perHour, start, count) => {
      const samples = Array.from({ length: count }, (_, n) => (
        { at: 7_000 + n * 5_000, megabytes: start + perHour * n * 5_000 / HOUR_MS }
      ));
      const slope = fitSlope(samples);
      assert.ok(slope !== undefined && Math.abs(slope.megabytesPerHour - perHour) < 1e-6);
      assert.ok(slope.error < 1e-3);
    },
  ));
});

Deno.test("fitSlope() is the less sure the more samples scatter, and says nothing of two", () => {
  const scattered = (by: number) =>
    fitSlope(
      Array.from({ length: 60 }, (_, n) => ({ at: n * 60_000, megabytes: 100 + n % 2 * by })),
    );
  assert.ok((scattered(20)?.error ?? 0) > (scattered(2)?.error ?? Infinity));
  assert.equal(fitSlope([{ at: 0, megabytes: 1 }, { at: 1, megabytes: 2 }]), undefined);
  assert.equal(fitSlope([1, 2, 3].map((megabytes) => ({ at: 5, megabytes }))), undefined);
});

Deno.test("lowestOfWindows() leaves one sample of each window: the lowest", () => {
  const samples = [[0, 9], [10, 5], [90, 7], [100, 8], [150, 6], [310, 4]]
    .map(([at = 0, megabytes = 0]) => ({ at, megabytes }));
  assert.deepEqual(lowestOfWindows(samples, 100), [
    { at: 10, megabytes: 5 },
    { at: 150, megabytes: 6 },
    { at: 310, megabytes: 4 },
  ]);
});

Deno.test("judgeMemory() tells of growth beyond the limit, of none that may be chance, and of nothing in a short time", () => {
  const samples = (minutes: number, at: (second: number) => number) =>
    Array.from({ length: minutes * 12 }, (_, n) => ({ at: n * 5_000, megabytes: at(n * 5) }));
  const growing = (perHour: number) => (second: number) => 150 + second * perHour / 3_600;
  assert.equal(judgeMemory(samples(30, growing(5)), 1).isTooMuch, true);
  assert.equal(judgeMemory(samples(30, growing(0.5)), 1).isTooMuch, false);
  assert.equal(judgeMemory(samples(30, growing(-5)), 1).isTooMuch, false);
  assert.equal(judgeMemory(samples(5, growing(5)), 1).isTooMuch, false);
  // What is only not collected yet comes and goes.
  const sawtooth = (second: number) => growing(0)(second) + second % 45;
  assert.equal(judgeMemory(samples(30, sawtooth), 1).isTooMuch, false);
  assert.equal(
    judgeMemory(samples(30, (second) => sawtooth(second) + second / 60), 1).isTooMuch,
    true,
  );
});
