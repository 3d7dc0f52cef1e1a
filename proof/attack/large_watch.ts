// Attacks a watch with a folder that contains more entries than the service can watch. A try is one file or folder.
import { MAX_WATCHED_ENTRIES } from "../../runtime/agents/watch_path.ts";
import { watches, WatchWorld } from "../../tests/runtime/triggers/watch/watch_world.ts";
import type { Attack, AttackOutcome } from "./attack.ts";

const FILES_IN_A_FOLDER = 500;

/** Checks that an agent that watches too many files does not slow down other agents. */
export const largeWatch: Attack = {
  name: "a watched folder with very many files",
  claim: "is reported instead of watched, and delays no other agent",
  tries: { full: 2 * MAX_WATCHED_ENTRIES, sample: 400 },
  run: async (entries) => {
    const mostEntries = Math.min(MAX_WATCHED_ENTRIES, entries / 2);
    await using world = await WatchWorld.create({ mostEntries });
    world.write("inbox/old.md");
    fill(world, entries);
    return await watchAll(world, entries);
  },
};

function fill(world: WatchWorld, entries: number): void {
  for (let made = 0, folder = ""; made < entries; made++) {
    if (made % FILES_IN_A_FOLDER === 0) {
      folder = world.path(`big/${made}`);
      Deno.mkdirSync(folder, { recursive: true });
    } else Deno.writeFileSync(`${folder}/${made}.md`, new Uint8Array());
  }
}

async function watchAll(world: WatchWorld, entries: number): Promise<AttackOutcome> {
  const successes: string[] = [];
  const before = Deno.memoryUsage().rss;
  const start = performance.now();
  await world.watch(watches("greedy", { paths: ["big"] }), watches("a"));
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  const megabytes = Math.round((Deno.memoryUsage().rss - before) / 1_000_000);
  if (world.stops.reasonOf("greedy") === null) successes.push("it is watched");
  if (!world.log.lines.some(({ message }) => message.includes("too many to watch"))) {
    successes.push("nothing in the log tells of it");
  }
  world.write("big/0/new.md");
  world.write("inbox/new.md");
  await world.untilFired("a created inbox/new.md");
  if (world.fired("greedy").length > 0) successes.push("it fires");
  return { tried: entries, successes, note: `followed in ${seconds} s, with ${megabytes} MB more` };
}
