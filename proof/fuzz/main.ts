// `deno task fuzz`: tries every target with many random cases. Arguments: words that a target's name must contain, --cases
// (10,000), and --seed (by default from the clock, so that each run has other cases). A failure prints the seed and the
// smallest failing case.
import { parseArgs } from "node:util";
import { TARGETS } from "./targets.ts";

const { values, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    cases: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
  },
});
const [cases, seed] = [Number(values.cases), Number(values.seed)];
const isMeant = Number.isSafeInteger(cases) && cases > 0 && Number.isSafeInteger(seed);
const wanted = TARGETS.filter(({ name }) =>
  positionals.length === 0 || positionals.some((word) => name.includes(word))
);
if (!isMeant || wanted.length === 0) {
  console.error(
    "Usage: deno task fuzz [words of targets] [--cases 10000] [--seed 1]\nTargets: " +
      TARGETS.map(({ name }) => name).join(", "),
  );
  Deno.exit(2);
}

console.log(`seed ${seed}`);
const broken: string[] = [];
for (const target of wanted) {
  const begin = performance.now();
  const problem = await target.run({ cases, seed }).then(() => undefined, (error) => error);
  const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
  const tried = String(Math.ceil(cases / target.oneIn));
  const outcome = problem === undefined ? "holds " : "BROKEN";
  console.log(
    `${outcome}  ${target.name.padEnd(18)} ${tried.padStart(6)} cases  ${seconds.padStart(6)} s`,
  );
  if (problem === undefined) continue;
  broken.push(target.name);
  console.error(problem instanceof Error ? problem.message : problem);
}
console.log(`${wanted.length - broken.length} of ${wanted.length} targets hold, seed ${seed}`);
if (broken.length > 0) Deno.exitCode = 1;
