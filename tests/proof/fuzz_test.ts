// A sample of `deno task fuzz`: eight cases of each target, the same ones each time.
import assert from "node:assert/strict";
import fc from "fast-check";
import { defineTarget } from "../../proof/fuzz/target.ts";
import { TARGETS } from "../../proof/fuzz/targets.ts";
import { IS_POSTGRES } from "../support/test_database.ts";

const SAMPLE = { cases: 8, seed: 20_260_101 };

for (const target of TARGETS) {
  // The lives of executions copy a file of SQLite.
  const ignore = target.name.endsWith("-lives") && IS_POSTGRES;
  Deno.test({ name: `${target.name}: ${target.claim}`, ignore, fn: () => target.run(SAMPLE) });
}

Deno.test("a failed target reports its seed, its smallest case, and the command to repeat it", async () => {
  const closed: string[] = [];
  const broken = defineTarget({
    name: "small-numbers",
    claim: "a number is small",
    open: () =>
      Promise.resolve({
        [Symbol.asyncDispose]: () => {
          closed.push("world");
          return Promise.resolve();
        },
      }),
    cases: () => fc.nat(1_000),
    check: (one) => assert.ok(one < 17),
  });
  await assert.rejects(broken.run({ cases: 100, seed: 5 }), (error: Error) => {
    assert.match(error.message, /^small-numbers does not hold: a number is small$/m);
    assert.match(error.message, /deno task fuzz small-numbers --seed 5 --cases 100/);
    assert.match(error.message, /seed: 5,/);
    assert.match(error.message, /Counterexample: \[17\]/);
    return true;
  });
  assert.deepEqual(closed, ["world"]);
});
