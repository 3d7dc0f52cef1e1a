// A sample of `deno task attack`: a few tries of each attack.
import assert from "node:assert/strict";
import { IS_POSTGRES } from "../support/test_database.ts";
import { ATTACKS } from "../../proof/attack/attacks.ts";

for (const { name, claim, tries, impossible, run } of ATTACKS) {
  // The attack `silent followers` writes its frames into SQLite's file, so it cannot run on PostgreSQL.
  const ignore = impossible !== undefined || (name === "silent followers" && IS_POSTGRES);
  Deno.test({ name: `${name}: ${claim}`, ignore }, async () => {
    const { tried, successes } = await run(tries.sample);
    assert.ok(tried > 0, "nothing was tried");
    assert.deepEqual(successes, []);
  });
}

Deno.test("no two attacks share a name", () => {
  const names = ATTACKS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});
