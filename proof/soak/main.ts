// `deno task soak`: puts a mixed load on a real service for minutes or hours and prints a report. Exits with 1 when a rule
// was violated.
import { runSoak } from "./soak.ts";
import { parseSoakOptions } from "./soak_options.ts";
import { describeProgress, describeReport } from "./soak_report.ts";

const options = parseSoakOptions(Deno.args);
console.error(`Seed ${options.seed}`);
const report = await runSoak(options, (progress) => console.error(describeProgress(progress)));
console.log(options.json ? JSON.stringify(report, null, 2) : describeReport(report, options));
Deno.exit(report.violations.length === 0 ? 0 : 1);
