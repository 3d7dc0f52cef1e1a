// Tests of long computations in slices, which must leave turns for other work.
import assert from "node:assert/strict";
import { nextSlice } from "../../base/slices.ts";

Deno.test("nextSlice() gives other work a turn between concurrent computations", async () => {
  const WORKS = 8;
  let worked = new Set<number>();
  let most = 0;
  const others = setInterval(() => {
    most = Math.max(most, worked.size);
    worked = new Set();
  }, 0);
  const work = async (work: number) => {
    for (let turns = 0; turns < 5;) {
      const turn = nextSlice();
      if (turn === undefined) continue;
      await turn;
      turns++;
      worked.add(work);
    }
  };
  try {
    await Promise.all(Array.from({ length: WORKS }, (_, n) => work(n)));
  } finally {
    clearInterval(others);
  }
  assert.ok(most > 0 && most < WORKS / 2, `${most} of ${WORKS} works without a turn in between`);
});
