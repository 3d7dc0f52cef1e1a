// The SQL statements and transactions of runs. A change that raises a number must also change the number in this file.
import assert from "node:assert/strict";
import { onSqlite } from "../../support/test_database.ts";
import { settle, TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { COUNTED_RUNS, prepareRun, runOnce } from "./counted_runs.ts";
import { countStatements, type StatementCounts } from "./counted_statements.ts";

/**
 * The maximum number of attempts per run. The least number counts, because background work of the service may add
 * statements.
 */
const ATTEMPTS = 100;

onSqlite.test("runs make as many SQL statements and transactions as expected", async () => {
  await using place = await createTestWorkspace();
  for (const one of COUNTED_RUNS) await prepareRun(place, one);
  await using runtime = await place.open({ clock: new TestClock(Date.now()) });
  for (const one of COUNTED_RUNS) {
    // The first run prepares statements and stores the terms of its calls.
    await runOnce({ place, runtime }, one);
    await settle();
    let least: StatementCounts | undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      using counted = countStatements();
      await runOnce({ place, runtime }, one);
      await settle();
      if (least === undefined || counted.counts.statements < least.statements) {
        least = counted.counts;
      }
      if (least.statements <= one.sqlite.statements) break;
    }
    assert.deepEqual(least, one.sqlite, one.name);
  }
});
