// `deno task faults`: produces every fault on a real service and checks the effect. Arguments: words that a fault's name
// must contain.
import { FAULTS } from "./faults.ts";

const chosen = Deno.args.length === 0 ? Object.keys(FAULTS) : Deno.args;
let failed = 0;
for (const name of chosen) {
  const fault = FAULTS[name];
  if (fault === undefined) {
    console.error(`There is no fault "${name}". There are: ${Object.keys(FAULTS).join(", ")}`);
    Deno.exit(2);
  }
  const unavailable = fault.unavailable?.();
  if (unavailable !== undefined) {
    console.log(`skipped  ${name}: ${unavailable}`);
    continue;
  }
  const start = performance.now();
  try {
    await fault.check();
    console.log(
      `held     ${name} (${((performance.now() - start) / 1_000).toFixed(1)} s): ${fault.name}`,
    );
  } catch (error) {
    failed++;
    console.log(`FAILED   ${name}: ${fault.name}`);
    // An error during cleanup arrives as a SuppressedError that contains the error of the check.
    console.error(error instanceof SuppressedError ? error.suppressed : error);
  }
}
Deno.exit(failed === 0 ? 0 : 1);
