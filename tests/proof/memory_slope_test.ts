import assert from "node:assert/strict";
import { fitSlope, growsTooMuch } from "../../proof/soak/memory_slope.ts";

Deno.test("growsTooMuch() reports growth beyond the limit, but no random variation", () => {
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
