// `deno task cluster`: runs three real services on one PostgreSQL database, kills, freezes and disconnects them under a
// mixed load, and prints the violations. Arguments: the number of kills, --seed; or `day`, which calculates the needs of a
// million executions a day.
import { parseArgs } from "node:util";
import { HAS_POSTGRES } from "../../tests/support/postgres.ts";
import { runCluster } from "./cluster.ts";
import { describeCluster } from "./cluster_report.ts";
import { describeDay } from "./day.ts";

const KILLS = 6;

if (!HAS_POSTGRES) {
  console.error("PostgreSQL is not installed: apt-get install postgresql");
  Deno.exit(2);
}
const { values, positionals: [what = String(KILLS)] } = parseArgs({
  args: Deno.args,
  options: { seed: { type: "string" } },
  allowPositionals: true,
});
if (what === "day") {
  console.log(await describeDay());
} else {
  const kills = Number(what);
  const seed = Number(values.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]);
  if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed)) {
    console.error("deno task cluster [kills] [--seed number], or deno task cluster day");
    Deno.exit(2);
  }
  console.error(`Seed ${seed}`);
  const report = await runCluster({ kills, seed }, (progress) => console.error(progress));
  console.log(describeCluster(report));
  Deno.exit(report.violations.length === 0 ? 0 : 1);
}
