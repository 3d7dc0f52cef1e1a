// Against the plain search through all stretches, also where they overlap.
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Stretch, StretchWalk } from "../../../runtime/secrets/stretch_walk.ts";

const stretchesOf = fc.array(
  fc.record({ from: fc.nat(40), length: fc.integer({ min: 1, max: 9 }) }),
  { maxLength: 12 },
).map((all) =>
  all.map(({ from, length }) => ({ from, to: from + length })).sort((a, b) => a.from - b.from)
);

Deno.test("StretchWalk.next() finds what a search through all of them finds", () => {
  fc.assert(fc.property(
    stretchesOf,
    fc.array(fc.nat(45), { maxLength: 12 }),
    fc.integer({ min: 1, max: 9 }),
    (stretches, starts, length) => {
      const walk = new StretchWalk(stretches);
      for (const from of starts.sort((a, b) => a - b)) {
        const to = from + length;
        const touched = stretches.filter((one) => one.from < to && from < one.to);
        const { around, coveredTo } = walk.next({ from, to });
        assert.deepEqual(around, {
          from: Math.min(from, ...touched.map((one) => one.from)),
          to: Math.max(to, ...touched.map((one) => one.to)),
        });
        const isInside = touched.some((one) => one.from <= from && to <= one.to);
        assert.equal(to <= coveredTo, isInside);
      }
    },
  ));
});

Deno.test("StretchWalk.next() looks at each stretch a few times, however often it is asked", () => {
  let looks = 0;
  const stretches = Array.from({ length: 1_000 }, (_, i): Stretch => ({
    get from() {
      looks++;
      return i * 10;
    },
    get to() {
      looks++;
      return i * 10 + 5;
    },
  }));
  const walk = new StretchWalk(stretches);
  for (let from = 0; from < 10_000; from += 2) walk.next({ from, to: from + 2 });
  assert.ok(looks < 40_000, `${looks} looks`);
});
