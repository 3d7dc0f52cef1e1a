// A sample of `deno task faults`: only the quick faults.
import { FAULTS } from "../../proof/faults/faults.ts";

for (const name of ["read-only-state"]) {
  const fault = FAULTS[name];
  if (fault === undefined) throw new TypeError(name);
  const unavailable = fault.unavailable?.();
  Deno.test({
    name: unavailable === undefined ? fault.name : `${fault.name} (skipped: ${unavailable})`,
    ignore: unavailable !== undefined,
    fn: fault.check,
  });
}
