// A sample of `deno task soak`: some seconds of load and one kill, with every rule checked.
import assert from "node:assert/strict";
import { runSoakSample } from "../../proof/soak/soak.ts";
import { onSqlite } from "../support/test_database.ts";

onSqlite.test("soak: after mixed load and a kill -9 no rule is broken", async () => {
  const { violations, totals } = await runSoakSample({ seed: 11 });
  assert.deepEqual(violations, []);
  assert.equal(totals.instances, 2);
});
