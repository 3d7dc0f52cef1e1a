import assert from "node:assert/strict";
import { dirname } from "node:path";
import fc from "fast-check";
import { isBelow } from "../../../../base/files/path_below.ts";
import { filesBelow } from "../../../support/repository.ts";
import { until } from "../../../support/until.ts";
import { FailingDisk } from "./failing_disk.ts";
import { watches, WatchWorld } from "./watch_world.ts";

const FOLDERS = ["inbox", "inbox/a", "inbox/a/b", "inbox/c"];
const FILES = FOLDERS.flatMap((folder) => ["1", "2", "3"].map((name) => `${folder}/${name}.md`));

const file = fc.constantFrom(...FILES);
const folder = fc.constantFrom(...FOLDERS.slice(1));
type Verb = "write" | "save" | "remove" | "move" | "fail" | "heal" | "wait" | "restart";

/** Returns a weighted generator of actions: one of the verbs with one or two paths. */
const step = (weight: number, path: fc.Arbitrary<string>, ...verbs: Verb[]) => ({
  weight,
  arbitrary: fc.record({ verb: fc.constantFrom(...verbs), path, to: path }),
});
const CHANGES = [
  ...[step(5, file, "write"), step(4, file, "save", "remove"), step(3, file, "move")],
  ...[step(1, folder, "remove"), step(2, folder, "move")],
];
const action = fc.oneof(...CHANGES);

/** Performs an action. Does nothing if it is impossible. */
function perform(
  world: WatchWorld,
  { verb, path, to }: { verb: string; path: string; to: string },
) {
  const real = world.path(path);
  try {
    if (verb === "write") world.write(path);
    if (verb === "save") {
      world.write(`${path}.tmp`);
      Deno.renameSync(`${real}.tmp`, real);
    }
    if (verb === "remove") Deno.removeSync(real, { recursive: true });
    if (verb === "move") {
      Deno.mkdirSync(dirname(world.path(to)), { recursive: true });
      Deno.renameSync(real, world.path(to));
    }
  } catch (error) {
    // The file does not exist, a folder is in the way, or a folder would move into itself: no action.
    if (!(error instanceof Error)) throw error;
  }
}

/** Returns the contents of all files by their paths, relative to the workspace. */
function filesOf(world: WatchWorld): Map<string, string> {
  const files = filesBelow(world.path("inbox")).filter((path) =>
    path.endsWith(".md") && !path.includes("sentinel-")
  );
  return new Map(
    files.map((path) => [path.slice(world.workspace.length + 1), Deno.readTextFileSync(path)]),
  );
}

/**
 * Returns the path of a file whose content differs from the last report to the agent (undefined: deleted), or of a file
 * that is gone without a report. Returns undefined if there is none, and removes deleted files from `told`.
 */
function findUnreported(
  world: WatchWorld,
  told: Map<string, string | undefined>,
): string | undefined {
  for (const path of told.keys()) if (path.includes("sentinel-")) told.delete(path);
  const now = filesOf(world);
  for (const [path, content] of now) if (told.get(path) !== content) return path;
  for (const [path, content] of told) {
    if (now.has(path) || content === undefined) continue;
    // A file without a reported deletion must have moved, and the move must have been reported.
    const isMoved = [...now].some(([other, same]) => same === content && told.get(other) === same);
    if (!isMoved) return path;
    told.delete(path);
  }
  return undefined;
}

Deno.test("Watcher's last report of each file matches its final state after random actions", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(action, { maxLength: 12 }), { maxLength: 5 }),
      async (rounds) => {
        await using world = await WatchWorld.create();
        const told = new Map<string, string | undefined>();
        world.play = ({ path }) => {
          told.set(path, readOrMissing(world.path(path)));
        };
        Deno.mkdirSync(world.path("inbox"));
        await world.watch(watches("a", { filters: { include: ["*.md"], exclude: [] } }));
        for (const actions of rounds) {
          for (const one of actions) perform(world, one);
          await world.settled("inbox");
          // The files of new folders are reported at the same time as the sentinel, in any order.
          await world.clock.advance(100);
          await until(() => findUnreported(world, told) === undefined, "every change is reported");
        }
      },
    ),
    // Each failure takes the whole patience of until(), so a counterexample is not made smaller.
    { numRuns: 3, endOnFailure: true },
  );
});

const trouble = fc.oneof(
  ...CHANGES,
  step(6, fc.constantFrom(...FOLDERS, ...FILES), "fail", "heal"),
  step(6, file, "wait", "restart"),
);

Deno.test("Watcher reports no change twice, and keeps working, despite random read failures and restarts", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(trouble, { maxLength: 20 }), async (actions) => {
      using disk = new FailingDisk();
      await using world = await WatchWorld.create();
      /** The number of reports of each file, and the number of actions on it. */
      const counts = new Map<string, { runs: number; actions: number }>();
      const count = (path: string, what: "runs" | "actions") => {
        const known = counts.get(path) ?? { runs: 0, actions: 0 };
        counts.set(path, { ...known, [what]: known[what] + 1 });
      };
      world.play = ({ path }) => {
        if (!path.includes("sentinel-")) count(path, "runs");
      };
      Deno.mkdirSync(world.path("inbox"));
      const filters = { include: ["*.md"], exclude: [] };
      const agent = watches("a", { catchUp: "once", filters });
      await world.watch(agent);
      for (const one of actions) {
        if (one.verb === "fail") disk.failing.add(world.path(one.path));
        else if (one.verb === "heal") disk.failing.delete(world.path(one.path));
        else if (one.verb === "wait") await world.clock.advance(3_000);
        else if (one.verb === "restart") {
          await world.until(() => world.running.size === 0, "all runs ended");
          await world.restart(agent);
        } else {
          for (const path of FILES) {
            if (isBelow(path, one.path) || isBelow(path, one.to)) count(path, "actions");
          }
          perform(world, one);
        }
      }
      disk.heal();
      // The maximum wait before an unreadable path is tried again.
      await world.clock.advance(61_000);
      await world.settled("inbox");
      await world.settled("inbox");
      // The move of a folder changes the paths of all its files.
      const moves = actions.filter(({ verb, path }) =>
        verb === "move" && FOLDERS.includes(path)
      ).length;
      for (const [path, { runs, actions }] of counts) {
        assert.ok(runs <= actions + moves, `${path}: ${runs} runs for ${actions} actions`);
      }
      const before = world.runs.length;
      world.write("inbox/after.md");
      await world.until(() => world.runs.length > before, "a run for what comes after it");
    }),
    { numRuns: 3 },
  );
});

function readOrMissing(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}
