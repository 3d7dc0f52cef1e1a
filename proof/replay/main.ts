// `deno task replay`: records a generated mix of runs, then replays all of them in a process that may open no connection, start
// nothing and write nothing.
import { fileURLToPath } from "node:url";
import type { TestWorkspace } from "../../tests/support/test_workspace.ts";
import { seededRandom } from "../../tests/support/seeded_random.ts";
import { createMix, recordMix } from "./mix.ts";
import type { Replayed } from "./replay_all.ts";

const runs = Number(Deno.args[0] ?? 1_000);
const seed = Number(Deno.args[1] ?? crypto.getRandomValues(new Uint32Array(1))[0]);
console.log(`Seed ${seed}`);

await using place = await createMix();
await recordMix(place, {
  runs,
  starts: Math.max(2, Math.ceil(runs / 50)),
  draw: seededRandom(seed),
});
console.log(`${runs} runs recorded`);
const replayed = await replayApart(place);
const { executions, steps, statuses, differences, elapsedMs } = replayed;
console.log(
  `${executions} executions with ${steps} steps replayed in ${elapsedMs} ms: ` +
    Object.entries(statuses).map(([status, count]) => `${count} ${status}`).join(", "),
);
for (const difference of differences.slice(0, 10)) console.log(JSON.stringify(difference, null, 2));
if (differences.length > 0) {
  throw new Error(`${differences.length} of ${executions} executions differ`);
}
console.log(`held: ${executions} executions, 0 differences, without --allow-net`);

/** In a process of its own. */
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
