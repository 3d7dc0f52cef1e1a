// Named pipes in watched folders, and what FolderWatches does about them: real pipes, real watches, clocks moved by hand.
import assert from "node:assert/strict";
import { join } from "node:path";
import { FolderEvents } from "../../runtime/triggers/folder_events.ts";
import { FolderWatches } from "../../runtime/triggers/folder_watches.ts";
import { LogLines } from "../support/log_lines.ts";
import { TestClock } from "../support/test_clock.ts";
import { until } from "../support/until.ts";
import { HAS_PIPES, makePipe } from "./pipes.ts";

/** Two watched folders, and what is heard of each. */
class Pipes implements AsyncDisposable {
  readonly log = new LogLines();
  readonly #clock = new TestClock();
  readonly #eventsClock = new TestClock();
  readonly #watches = new FolderWatches({
    clock: this.#clock,
    log: this.log,
    events: new FolderEvents({ log: this.log, clock: this.#eventsClock }),
  });
  readonly #heard = new Set<string>();
  /** How often each folder was looked at as a whole. */
  readonly looks = new Map<string, number>();
  #count = 0;
  private constructor(readonly root: string) {}

  static async open({ recursive = true } = {}): Promise<Pipes> {
    const pipes = new Pipes(await Deno.realPath(await Deno.makeTempDir()));
    for (const name of ["piped", "other"]) {
      await Deno.mkdir(pipes.path(name));
      await pipes.watch(name, { recursive });
    }
    await Deno.mkdir(pipes.path("elsewhere"));
    return pipes;
  }

  path(...names: string[]): string {
    return join(this.root, ...names);
  }

  async watch(name: string, { recursive }: { recursive: boolean }): Promise<() => void> {
    return await this.#watches.watch({ folder: this.path(name), recursive }, {
      changed: (paths) => paths.forEach((path) => this.#heard.add(path)),
      uncertain: () => {
        this.looks.set(name, (this.looks.get(name) ?? 0) + 1);
        return Promise.resolve();
      },
    });
  }

  /** Lets time pass until files that are made in the folder are reported. */
  async hears(folder: string): Promise<void> {
    const prefix = this.path(folder, `heard-${++this.#count}-`);
    await until(async () => {
      await Deno.writeTextFile(`${prefix}${crypto.randomUUID()}`, "");
      await this.pass();
      return [...this.#heard].some((path) => path.startsWith(prefix));
    }, `an event of ${folder}`);
  }

  /** Lets time pass until a folder has been looked at after now. */
  async looksAt(folder: string): Promise<void> {
    const before = this.looks.get(folder) ?? 0;
    await until(async () => {
      await this.pass();
      return (this.looks.get(folder) ?? 0) > before;
    }, `a look at ${folder}`);
  }

  async pass(): Promise<void> {
    await moment();
    await this.#eventsClock.advance(1_000);
    await this.#clock.advance(10_000);
  }

  warnings(): string[] {
    return this.log.lines.filter(({ level }) => level === "warn").map(({ message }) => message);
  }

  end(): Promise<void> {
    return this.#watches[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await Deno.remove(this.root, { recursive: true });
  }
}

/** Threads of the system do not live by a test's clock: this lets them work. */
function moment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

const test = (name: string, fn: () => Promise<void>) => Deno.test({ name, fn, ignore: !HAS_PIPES });

test("FolderEvents: a named pipe stops the watch of no folder for good, and its own is looked at while it is there", async () => {
  await using pipes = await Pipes.open();
  await pipes.hears("piped");
  makePipe(pipes.path("piped/pipe"));
  await pipes.looksAt("other");
  await pipes.hears("other");
  for (let look = 0; look < 12; look++) await pipes.looksAt("piped");
  await pipes.hears("other");
  const [warning, ...more] = pipes.warnings();
  assert.match(warning ?? "", /^Cannot watch .*\/piped: the named pipe .*\/piped\/pipe /);
  assert.deepEqual(more, []);
  Deno.removeSync(pipes.path("piped/pipe"));
  await pipes.hears("piped");
});

test("FolderEvents: a pipe that was there before stops nothing for good when it is used", async () => {
  await using pipes = await Pipes.open();
  Deno.mkdirSync(pipes.path("elsewhere/deep"));
  makePipe(pipes.path("elsewhere/deep/pipe"));
  await pipes.watch("elsewhere", { recursive: true });
  await pipes.hears("elsewhere/deep");
  // What its users do: one that opens both ends, and lets go of them.
  Deno.openSync(pipes.path("elsewhere/deep/pipe"), { read: true, write: true }).close();
  await pipes.looksAt("other");
  await pipes.hears("other");
  await pipes.looksAt("elsewhere");
});

for (const how of ["moved", "linked", "in a new folder"] as const) {
  test(`FolderEvents: a pipe that appears in a folder, ${how}, stops no other watch for good`, async () => {
    await using pipes = await Pipes.open();
    Deno.mkdirSync(pipes.path("elsewhere/folder"));
    const pipe = pipes.path("elsewhere/folder/pipe");
    makePipe(pipe);
    if (how === "moved") Deno.renameSync(pipe, pipes.path("piped/pipe"));
    if (how === "linked") Deno.symlinkSync(pipe, pipes.path("piped/pipe"));
    if (how === "in a new folder") {
      Deno.renameSync(pipes.path("elsewhere/folder"), pipes.path("piped/folder"));
      await pipes.hears("piped");
      Deno.openSync(pipes.path("piped/folder/pipe"), { read: true, write: true }).close();
    }
    await pipes.looksAt("other");
    await pipes.hears("other");
    await pipes.looksAt("piped");
  });
}

test("FolderEvents: after a pipe that is made and removed at once everything is watched anew", async () => {
  await using pipes = await Pipes.open();
  const [pipe, second] = [pipes.path("piped/pipe"), pipes.path("elsewhere/pipe")];
  makePipe(second);
  await until(async () => {
    // A second name outside of what is watched, by which the thread is freed when the test ends.
    Deno.linkSync(second, pipe);
    await moment();
    // Whether the watch has opened it by now is a matter of luck: then it is tried again.
    Deno.removeSync(pipe);
    for (let time = 0; time < 80 && !pipes.looks.has("piped"); time++) await pipes.pass();
    return pipes.looks.has("piped");
  }, "a look at everything");
  await pipes.hears("piped");
  await pipes.hears("other");
  assert.match(pipes.warnings()[0] ?? "", /^The folder watch stopped responding/);
  Deno.openSync(second, { read: true, write: true }).close();
});

test("FolderEvents: who ends watching does not wait for a watch that has stopped", async () => {
  await using pipes = await Pipes.open();
  const leave = await pipes.watch("elsewhere", { recursive: false });
  makePipe(pipes.path("piped/pipe"));
  leave();
  await pipes.end();
  Deno.openSync(pipes.path("piped/pipe"), { read: true, write: true }).close();
});

test("FolderEvents: a pipe that its users hold open is left alone, and so is what is in it", async () => {
  await using pipes = await Pipes.open();
  const path = pipes.path("piped/pipe");
  makePipe(path);
  await pipes.looksAt("other");
  using user = Deno.openSync(path, { read: true, write: true });
  user.writeSync(new TextEncoder().encode("for the user"));
  await pipes.looksAt("piped");
  await pipes.hears("other");
  const buffer = new Uint8Array(100);
  const length = user.readSync(buffer) ?? 0;
  assert.equal(new TextDecoder().decode(buffer.subarray(0, length)), "for the user");
});
