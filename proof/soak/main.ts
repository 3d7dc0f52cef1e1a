// `deno task soak`: a mixed load on the real service, for minutes or hours, with a report of violations.
import { runSoak } from "./soak.ts";
import { parseSoakOptions } from "./soak_options.ts";
import { describeProgress, describeReport } from "./soak_report.ts";

const options = parseSoakOptions(Deno.args);
console.error(`Seed ${options.seed}`);
const report = await runSoak(options, (progress) => console.error(describeProgress(progress)));
console.log(options.json ? JSON.stringify(report, null, 2) : describeReport(report, options));
Deno.exit(report.violations.length === 0 ? 0 : 1);
