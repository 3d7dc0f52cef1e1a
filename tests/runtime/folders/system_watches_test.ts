// Tests Deno's own watches while a named pipe is created in a watched folder.
import assert from "node:assert/strict";
import { join } from "node:path";
import { SystemWatches } from "../../../runtime/folders/system_watches.ts";
import { HAS_PIPES, makePipe } from "../../support/machine/pipes.ts";
import { until } from "../../support/until.ts";

/** Two watched folders and the events received from them. */
class Watched implements AsyncDisposable {
  readonly watches: SystemWatches;
  readonly heard = new Set<string>();
  readonly ended = new Set<string>();
  #count = 0;
  private constructor(readonly root: string) {
    this.watches = new SystemWatches(join(root, "probe"));
  }

  static async open(): Promise<Watched> {
    const watched = new Watched(await Deno.realPath(await Deno.makeTempDir()));
    for (const name of ["one", "two"]) await watched.watch(name);
    return watched;
  }

  async watch(name: string): Promise<void> {
    const folder = join(this.root, name);
    await Deno.mkdir(folder, { recursive: true });
    const source = await this.watches.open(folder, { recursive: true });
    void (async () => {
      for await (const { paths } of source) paths.forEach((path) => this.heard.add(path));
      this.ended.add(name);
    })();
  }

  /** Creates a file and waits for its event. */
  async hears(name: string): Promise<void> {
    const path = join(this.root, name, `file-${++this.#count}`);
    await Deno.writeTextFile(path, "");
    await until(() => this.heard.has(path), `an event of ${path}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.watches[Symbol.asyncDispose]();
    await Deno.remove(this.root, { recursive: true });
  }
}

Deno.test(
  "SystemWatches: a new pipe ends only the watch of its folder",
  { ignore: !HAS_PIPES },
  async () => {
    await using watched = await Watched.open();
    await watched.hears("one");
    makePipe(join(watched.root, "one/pipe"));
    await watched.watches.check();
    await until(() => watched.ended.has("one"), "the end of the watch");
    await watched.hears("two");
    await assert.rejects(watched.watches.open(join(watched.root, "one"), { recursive: true }), {
      message: /the named pipe .*one\/pipe would stall the watch; keep named pipes elsewhere/,
    });
    await watched.watch("three");
    await watched.hears("three");
    assert.ok(!watched.ended.has("two"));
  },
);
