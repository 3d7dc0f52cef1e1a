// `deno task bench`: every figure, as a table or, with --json, as JSON.
import { benchHttp } from "./http.ts";
import { benchSchedules } from "./schedules.ts";
import { benchStartUp } from "./start_up.ts";

const figures = [...await benchStartUp(), ...await benchHttp(), ...await benchSchedules()];
if (Deno.args.includes("--json")) {
  console.log(JSON.stringify(figures, null, 2));
} else {
  for (const { name, ratio, subject, floor, unit, pairs } of figures) {
    console.log(
      `${name.padEnd(36)} ${ratio.toFixed(2).padStart(6)} x floor   ` +
        `(${subject.toFixed(0)} ${unit} against ${
          floor.toFixed(0)
        } ${unit}, median of ${pairs} pairs)`,
    );
  }
}
