// `deno task burst`: writes 5,000 files within two seconds, first into one watched folder, then spread over ten. Each file
// must be seen and run exactly once, with at most four parallel runs of an agent. With ten folders, the operating system's
// events report only about half of the files.
import { watches, WatchWorld } from "../../tests/runtime/triggers/watch/watch_world.ts";
import type { WritingOrder } from "./write_files.ts";

const FILES = Number(Deno.args[0] ?? 5_000);
const WITHIN_MS = 2_000;
const PATIENCE_MS = 120_000;

const problems: string[] = [];

/** Advances the test's clock at the speed of real time until `until` returns true, or for two minutes. */
async function realTime(world: WatchWorld, until: () => boolean): Promise<void> {
  const start = performance.now();
  for (let last = start; !until() && last - start < PATIENCE_MS;) {
    // The product's clocks count whole milliseconds.
    const passed = Math.floor(performance.now() - last);
    await world.clock.advance(passed);
    last += passed;
  }
}

/** Writes the files in a worker and returns the milliseconds that the writes took. */
async function writeFiles(order: WritingOrder): Promise<number> {
  const worker = new Worker(new URL("./write_files.ts", import.meta.url), { type: "module" });
  const done = new Promise<number>((resolve) => worker.onmessage = ({ data }) => resolve(data));
  worker.postMessage(order);
  const ms = await done;
  worker.terminate();
  return ms;
}

async function burst(folders: number): Promise<void> {
  await using world = await WatchWorld.create();
  const agents = Array.from(
    { length: folders },
    (_, i) => watches(`agent-${i}`, { paths: [`inbox-${i}`] }),
  );
  for (let i = 0; i < folders; i++) world.write(`inbox-${i}/there-before.md`);
  world.play = () => new Promise((resolve) => setTimeout(resolve, 1));
  await world.watch(...agents);

  const begin = performance.now();
  const paths = Array.from(
    { length: FILES },
    (_, i) => world.path(`inbox-${i % folders}/${i % 13}/file-${i}.md`),
  );
  const writing = writeFiles({ paths, withinMs: WITHIN_MS });
  const rest = realTime(world, () => world.runs.length >= FILES && world.running.size === 0);
  const writtenAfter = await writing;
  await rest;
  const ranAfter = performance.now() - begin;
  // Wait 20 seconds, in which a duplicate run would start.
  await world.clock.advance(20_000);

  const distinct = new Set(world.fired()).size;
  console.log(
    `${FILES} files in ${folders} folder(s): written in ${(writtenAfter / 1_000).toFixed(1)} s, ` +
      `${distinct} seen, ${world.runs.length} runs, at most ${world.mostAtOnce} at once per agent, ` +
      `the last one ended ${((ranAfter - writtenAfter) / 1_000).toFixed(1)} s after the last write`,
  );
  if (distinct !== FILES) problems.push(`${FILES - distinct} files were not seen`);
  if (world.runs.length !== distinct) problems.push("files ran more than once");
  if (world.mostAtOnce > 4) problems.push("more than four at once");
  if (world.fired().some((one) => !one.includes(" created "))) problems.push("another event");
  if (world.tripped.length > 0) problems.push(`the breaker: ${world.tripped.join("; ")}`);
  if ((await world.queue()).length > 0) problems.push("changes still wait");
}

await burst(1);
await burst(10);
for (const problem of problems) console.error(`Wrong: ${problem}`);
Deno.exit(problems.length === 0 ? 0 : 1);
