// A sample of `deno task attack`: a few tries of each.
import assert from "node:assert/strict";
import { ATTACKS } from "../../proof/attack/attacks.ts";

for (const { name, claim, tries, impossible, run } of ATTACKS) {
  Deno.test({ name: `${name}: ${claim}`, ignore: impossible !== undefined }, async () => {
    const { tried, successes } = await run(tries.sample);
    assert.ok(tried > 0, "nothing was tried");
    assert.deepEqual(successes, []);
  });
}

Deno.test("no two attacks share a name", () => {
  const names = ATTACKS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});
