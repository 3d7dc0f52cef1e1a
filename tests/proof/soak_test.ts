// A sample of `deno task soak`: some seconds of load, a death in the middle, and every rule looked at.
import assert from "node:assert/strict";
import { runSoakSample } from "../../proof/soak/soak.ts";

Deno.test("soak: a few seconds of everything at once with a kill -9 leave nothing broken", async () => {
  const { violations, totals } = await runSoakSample({ seed: 11 });
  assert.deepEqual(violations, []);
  assert.equal(totals.instances, 2);
});
