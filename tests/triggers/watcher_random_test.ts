import assert from "node:assert/strict";
import { dirname } from "node:path";
import fc from "fast-check";
import { filesBelow } from "../support/repository.ts";
import { WatchWorld } from "./watch_world.ts";

const FOLDERS = ["inbox", "inbox/a", "inbox/a/b", "inbox/c"];
const FILES = FOLDERS.flatMap((folder) => ["1", "2", "3"].map((name) => `${folder}/${name}.md`));

const file = fc.constantFrom(...FILES);
const folder = fc.constantFrom(...FOLDERS.slice(1));
const deed = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ verb: fc.constant("write" as const), path: file, to: file }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant("save" as const), path: file, to: file }) },
  {
    weight: 2,
    arbitrary: fc.record({ verb: fc.constant("remove" as const), path: file, to: file }),
  },
  { weight: 3, arbitrary: fc.record({ verb: fc.constant("move" as const), path: file, to: file }) },
  {
    weight: 1,
    arbitrary: fc.record({ verb: fc.constant("remove" as const), path: folder, to: folder }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ verb: fc.constant("move" as const), path: folder, to: folder }),
  },
);

/** Does it, if it can be done. */
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
    // Nothing there, a folder in the way, a folder into itself: then it is no deed.
    if (!(error instanceof Error)) throw error;
  }
}

Deno.test("Watcher: whatever happens to files and folders, the agent is told of each file as it is in the end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(deed, { maxLength: 12 }), { maxLength: 5 }),
      async (rounds) => {
        await using world = await WatchWorld.create();
        /** What each file held when its last run began; undefined: it was gone. */
        const told = new Map<string, string | undefined>();
        world.play = ({ path }) => {
          told.set(path, readOrMissing(world.path(path)));
        };
        Deno.mkdirSync(world.path("inbox"));
        await world.watch(world.agent("a", { filters: { include: ["*.md"], exclude: [] } }));
        for (const deeds of rounds) {
          const before = new Map(told);
          for (const one of deeds) perform(world, one);
          await world.settled("inbox");
          for (const path of told.keys()) if (path.includes("sentinel-")) told.delete(path);
          const now = new Map(
            filesBelow(world.path("inbox")).filter((path) =>
              path.endsWith(".md") && !path.includes("sentinel-")
            )
              .map((path) => [path.slice(world.workspace.length + 1), Deno.readTextFileSync(path)]),
          );
          for (const [path, content] of now) assert.equal(told.get(path), content, path);
          for (const [path, content] of told) {
            if (now.has(path) || content === undefined) continue;
            // Gone without a word: it must be somewhere else now, and that was told.
            const isMoved = [...now].some(([other, same]) =>
              same === content && told.get(other) === same
            );
            assert.ok(isMoved, `${path} is gone and nobody was told (before: ${before.get(path)})`);
            told.delete(path);
          }
          world.runs.length = 0;
        }
      },
    ),
    { numRuns: 8 },
  );
});

function readOrMissing(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}
