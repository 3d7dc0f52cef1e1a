// Tests scans of one watched path on a slow disk. The result of an earlier read must never replace the result of a later
// one.
import assert from "node:assert/strict";
import { FakeFolderEvents } from "../../folders/fake_folder_events.ts";
import { watches, WatchWorld } from "./watch_world.ts";

/** A delayed read of one file's metadata, until the test releases it. */
class SlowLook implements Disposable {
  readonly #lstat = Deno.lstat;
  readonly #release = Promise.withResolvers<void>();
  hasLooked = false;

  constructor(path: string) {
    Deno.lstat = async (asked) => {
      const info = await this.#lstat(asked);
      if (String(asked) === path && !this.hasLooked) {
        this.hasLooked = true;
        await this.#release.promise;
      }
      return info;
    };
  }

  letGo(): void {
    this.#release.resolve();
  }

  [Symbol.dispose](): void {
    this.letGo();
    Deno.lstat = this.#lstat;
  }
}

Deno.test("Watcher reports a file that is removed during a slow read as deleted", async () => {
  const source = new FakeFolderEvents();
  await using world = await WatchWorld.create({ openEvents: source.open });
  world.write("inbox/a.md", "first");
  await world.watch(watches("a"));
  const paths = [world.path("inbox/a.md")];
  using look = new SlowLook(world.path("inbox/a.md"));
  world.write("inbox/a.md", "the second");
  source.tell({ kind: "modify", paths });
  await world.until(() => look.hasLooked, "a look at the file");
  Deno.removeSync(world.path("inbox/a.md"));
  source.tell({ kind: "remove", paths });
  // Enough time for a second, simultaneous scan and for the run that it would start.
  await world.clock.advance(1_500);
  look.letGo();
  await world.untilFired("a deleted inbox/a.md");
  await world.clock.advance(10_000);
  assert.deepEqual(world.fired(), ["a deleted inbox/a.md"]);
});
