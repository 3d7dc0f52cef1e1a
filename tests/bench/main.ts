// `deno task bench`: every figure, as a table or, with --json, as JSON.
import { benchHttp } from "./http.ts";
import { benchStartUp } from "./start_up.ts";

const figures = [...await benchStartUp(), ...await benchHttp()];
if (Deno.args.includes("--json")) {
  console.log(JSON.stringify(figures, null, 2));
} else {
  for (const { name, ratio, subjectMs, floorMs, pairs } of figures) {
    console.log(
      `${name.padEnd(36)} ${ratio.toFixed(2).padStart(6)} x floor   ` +
        `(${subjectMs.toFixed(0)} ms against ${floorMs.toFixed(0)} ms, median of ${pairs} pairs)`,
    );
  }
}
