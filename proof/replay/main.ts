// `deno task replay`: records runs of random agents on a service that is killed repeatedly. Then replays all runs in a
// process without permission to connect, start or write anything. `deno task replay forks`: forks the runs at every step.
// Arguments: the number of runs, the seed.
import { fileURLToPath } from "node:url";
import { seededRandom } from "../../tests/support/seeded_random.ts";
import type { TestWorkspace } from "../../tests/support/test_workspace.ts";
import { forkAll } from "./fork_all.ts";
import { createMix, type Mix } from "./mix.ts";
import { recordMix } from "./record_mix.ts";
import type { Replayed } from "./replay_all.ts";

/** The number of runs from which each kind of event must have happened. */
const ENOUGH = 200;

const isForks = Deno.args[0] === "forks";
const [wantedRuns, wantedSeed] = isForks ? Deno.args.slice(1) : Deno.args;
const runs = Number(wantedRuns ?? (isForks ? 50 : 1_000));
const seed = Number(wantedSeed ?? crypto.getRandomValues(new Uint32Array(1))[0]);
console.log(`Seed ${seed}`);
/** The seed is multiplied, because the generator's first numbers would be small for a small seed. */
const draw = seededRandom(Math.imul(seed, 2_654_435_761));

await using mix = await createMix();
await record(mix);
if (isForks) await fork(mix);
else await replay(mix);

async function record(mix: Mix): Promise<void> {
  const { kills, interrupted, resumed, kinds } = await recordMix(mix, {
    // Record more runs than needed: runs that end before a model reply cannot be forked.
    runs: isForks ? Math.ceil(runs * 1.5) : runs,
    lives: Math.max(3, Math.ceil(runs / 25)),
    draw,
    ...(isForks && { customShare: 1 }),
  });
  console.log(
    `Recorded; ${kills} services killed (SIGKILL) with ${interrupted} executions ` +
      `under way, ${resumed} of them gone on with`,
  );
  const all = Object.entries({ ...kinds, resumed });
  console.log(all.map(([kind, count]) => `${count} ${kind}`).join(", "));
  const missing = all.filter(([, count]) => count === 0).map(([kind]) => kind);
  if (runs >= ENOUGH && missing.length > 0) throw new Error(`No ${missing.join(", no ")}`);
}

async function replay({ place }: Mix): Promise<void> {
  const { executions, steps, statuses, differences, elapsedMs } = await replayApart(place);
  console.log(
    `${executions} executions with ${steps} steps replayed in ${elapsedMs} ms: ` +
      Object.entries(statuses).map(([status, count]) => `${count} ${status}`).join(", "),
  );
  for (const one of differences.slice(0, 10)) console.log(JSON.stringify(one, null, 2));
  if (differences.length > 0) {
    throw new Error(`${differences.length} of ${executions} executions differ`);
  }
  console.log(`held: ${executions} executions, 0 differences, without --allow-net`);
}

async function fork(mix: Mix): Promise<void> {
  const forked = await forkAll(mix, { draw, most: runs });
  const { forks, takenOver, made, problems } = forked;
  for (const problem of problems.slice(0, 10)) console.log(problem);
  if (problems.length > 0) throw new Error(`${problems.length} problems in ${forks} forks`);
  if (forked.runs < runs) throw new Error(`Only ${forked.runs} runs have steps`);
  console.log(
    `held: ${forks} forks of ${forked.runs} runs, each with the steps of the record; ${takenOver} unsafe ` +
      `calls taken over, none of them made again, ${made} made behind them`,
  );
}

/** Replays all executions in a separate process with few permissions, and returns the result. */
async function replayApart({ shell, root: home }: TestWorkspace): Promise<Replayed> {
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--no-prompt",
      "--allow-read",
      "--allow-env",
      "--allow-sys",
      "--config",
      here("../../tests/deno.json"),
      here("./replay_all.ts"),
      JSON.stringify({ shell, home }),
    ],
    stdin: "null",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}
