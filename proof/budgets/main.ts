// `deno task budgets`: runs a hundred random trees of delegation and compares the stored spending with the provider's bill.
// Each tree has eight parallel runs, cancels, failed calls, killed services and raised budgets. Exits with 1 if more is
// billed than a budget allows, or if a reservation remains. Arguments: the number of trees, the number of the first tree.
import { runRandomTree } from "./random_tree.ts";

const TREES = Number(Deno.args[0] ?? 100);
const FIRST = Number(Deno.args[1] ?? 0);

const totals = { calls: 0, refused: 0, deaths: 0, raises: 0 };
let wrong = 0;
const begin = performance.now();
for (let number = FIRST; number < FIRST + TREES; number++) {
  const report = await runRandomTree(number);
  totals.calls += report.calls;
  totals.refused += report.refused;
  totals.deaths += report.deaths;
  totals.raises += report.raises;
  if (report.faults.length === 0) continue;
  wrong++;
  console.error(`Tree ${number}: ${report.faults.slice(0, 5).join("; ")}`);
}
console.log(
  `${TREES} trees in ${
    Math.round((performance.now() - begin) / 1_000)
  } s: ${totals.calls} calls paid, ` +
    `${totals.refused} refused, ${totals.raises} raises, ${totals.deaths} deaths; ${wrong} trees went wrong`,
);
if (wrong > 0) Deno.exit(1);
