import assert from "node:assert/strict";
import { runRandomTree } from "../../proof/budgets/random_tree.ts";
import { SQLITE } from "../support/test_database.ts";

// Ignored on PostgreSQL: the simulated clock does not advance while a store on a server works.
Deno.test(
  "runRandomTree() finds no cost beyond a budget and no reservation left behind",
  SQLITE,
  async () => {
    const total = { calls: 0, refused: 0, deaths: 0, raises: 0 };
    for (let number = 0; number < 2; number++) {
      const report = await runRandomTree(number);
      assert.deepEqual(report.faults, [], `tree ${number}`);
      for (const key of ["calls", "refused", "deaths", "raises"] as const) {
        total[key] += report[key];
      }
    }
    // Without these events the check would be empty.
    for (const [key, count] of Object.entries(total)) assert.ok(count > 0, key);
  },
);
