import assert from "node:assert/strict";
import fc from "fast-check";
import { fitSlope, growsTooMuch } from "../../proof/soak/memory_slope.ts";

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

Deno.test("growsTooMuch() tells of growth beyond the limit, of none that may be chance, and of nothing in a short time", () => {
  const grows = (count: number, at: (minute: number) => number) =>
    growsTooMuch(
      fitSlope(Array.from({ length: count }, (_, n) => ({ at: n * 30_000, megabytes: at(n / 2) }))),
      1,
    );
  const growing = (perHour: number) => (minute: number) => 150 + minute * perHour / 60;
  assert.equal(grows(60, growing(5)), true);
  assert.equal(grows(60, growing(0.5)), false);
  assert.equal(grows(60, growing(-5)), false);
  assert.equal(grows(10, growing(5)), false);
  const scattered = (minute: number) => (minute * 7.3) % 4;
  assert.equal(grows(60, scattered), false);
  assert.equal(grows(60, (minute) => scattered(minute) + minute), true);
});
