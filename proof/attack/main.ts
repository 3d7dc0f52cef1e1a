// `deno task attack`: runs all attacks in full and prints the results. Arguments: words that an attack's name must contain;
// with --bundle, attacks of a started service start the shipped bundle instead of the sources.
import { toNpmPackage } from "../../release/npm_package.ts";
import { openStage } from "../../release/stage.ts";
import { ATTACKS } from "./attacks.ts";

await using bundle = Deno.args.includes("--bundle") ? await openStage() : undefined;
if (bundle !== undefined) {
  await toNpmPackage(bundle);
  Deno.env.set("INKLING_TEST_BUNDLE", bundle.directory);
}
const words = Deno.args.filter((one) => !one.startsWith("-"));
const wanted = ATTACKS.filter(({ name }) =>
  words.length === 0 || words.some((word) => name.includes(word))
);
let held = 0;
for (const attack of wanted) {
  if (attack.impossible !== undefined) {
    console.log(`not tried  ${attack.name}: ${attack.impossible}`);
    continue;
  }
  const start = performance.now();
  const { tried, successes, note } = await attack.run(attack.tries.full);
  const seconds = Math.round((performance.now() - start) / 1_000);
  if (successes.length === 0) held++;
  const figures = [`${tried} tries`, `${seconds} s`, ...(note === undefined ? [] : [note])];
  console.log(
    `${successes.length === 0 ? "held  " : "BROKEN"}  ${attack.name} (${figures.join(", ")})`,
  );
  for (const success of successes) console.log(`        ${success}`);
}
console.log(`${held} of ${wanted.length} attacks failed, as they should`);
if (held < wanted.length) Deno.exitCode = 1;
