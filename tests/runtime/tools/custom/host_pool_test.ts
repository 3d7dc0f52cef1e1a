// Tests the number, the owners and the ends of host processes. Most tests use shells that begin like host processes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { HostPool, type HostPoolOptions } from "../../../../runtime/tools/custom/host_pool.ts";
import { HostProcess } from "../../../../runtime/tools/custom/host_process.ts";
import { settle, TestClock } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";
import { failureOf, refusalOf } from "../files/sandbox_fixture.ts";
import { ToolWorld, WAITER } from "./tool_world.ts";

const FILE = { module: "a", path: "/a.ts", url: "file:///a.ts", isLoaderOpen: false };
const NONE = { read: [], write: [], net: [], env: [] };

/** A shell that begins its work like a host process, and then hangs. Its first `failures` ends fail. */
class ShellHost extends HostProcess {
  failures: number;
  attempts = 0;
  hasEnded = false;

  constructor(failures = 0) {
    const script = `read -r line
      mark=$(printf %s "$line" | sed -n 's/.*"mark":"\\([^"]*\\)".*/\\1/p')
      printf '\\n%s{"type":"started"}\\n' "$mark"; while read -r line; do :; done`;
    const environment = { PATH: "/usr/bin:/bin" };
    super({
      command: { program: "sh", args: ["-c", script], cwd: "/", environment },
      work: { type: "describe", file: FILE, permissions: NONE },
    });
    this.failures = failures;
    void this.ended.then(() => this.hasEnded = true);
  }

  override async kill(): Promise<void> {
    if (++this.attempts <= this.failures) throw new Error("no signal may be sent");
    await super.kill();
  }
}

/** Opens a pool of shells. Its `acquire` returns a process for an owner. */
function openPool(options: Omit<HostPoolOptions, "clock"> = {}) {
  const clock = new TestClock();
  const pool = new HostPool({ clock, ...options });
  const started: ShellHost[] = [];
  return {
    clock,
    pool,
    started,
    acquire: (owner = "one", failures = 0, { signal } = new AbortController()) =>
      pool.acquire(owner, () => {
        const host = new ShellHost(failures);
        started.push(host);
        return Promise.resolve(host);
      }, signal),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

Deno.test("HostPool starts a process for each piece of work, up to the limit", async () => {
  await using world = openPool({ maxProcesses: 4 });
  const { pool, acquire, started } = world;
  const most: number[] = [];
  const calls = Array.from({ length: 6 }, () =>
    acquire().then(async (process) => {
      most.push(started.filter(({ hasEnded }) => !hasEnded).length);
      await pool.discard(process);
    }));
  await Promise.all(calls);
  assert.equal(started.length, 6);
  // A single owner gets half of the processes.
  assert.equal(Math.max(...most), 2);
});

Deno.test("hanging tools of one execution do not block the tools of another", async () => {
  await using world = openPool({ maxProcesses: 2 });
  const { pool, acquire, started } = world;
  const hanging = await acquire("one");
  const waiting = [acquire("one"), acquire("one")];
  const other = await acquire("two");
  assert.equal(started.length, 2);
  await pool.discard(other);
  await pool.discard(hanging);
  for (const next of waiting) await pool.discard(await next);
});

Deno.test("a call's time limit starts with its process, and a call without a process fails", async () => {
  const clock = new TestClock();
  await using world = await ToolWorld.open({ clock, maxProcesses: 1 });
  await world.writeTool("waiter", WAITER, "timeout: 5,");
  await world.writeTool("quick", `return "done";`);
  await world.fixture.write("notes/a.txt", "");
  const waiter = await world.openTool("waiter");
  // This call has its own clock, which does not advance, so that the call hangs as long as the test needs.
  const first = world.run(waiter, {}, { executionId: 1, clock: new TestClock() });
  await until(() => world.logged.length === 1, "the first call runs");
  const wait = 11 * 60_000;
  const late = failureOf(world.run(waiter, {}, { executionId: 2, clock }));
  const unloaded = refusalOf(world.openTools("quick"));
  await until(() => clock.countAwaiting(wait) === 2, "the second call and a loading wait");
  await clock.advance(wait - 1_000);
  const third = world.run(waiter, {}, { executionId: 3, clock });
  await until(() => clock.awaits(wait), "the third call waits");
  await clock.advance(1_000);
  const reason =
    "all custom tools share 1 processes, and none became free for it within 11 minutes. " +
    "Try again when fewer calls are running.";
  assert.equal(await late, `The call never began: ${reason}`);
  const file = join(world.directories.toolsDir, "quick.ts");
  assert.equal(
    await unloaded,
    `The custom tool quick cannot be used: ${file}: it could not be loaded: ${reason}`,
  );
  await world.fixture.write("notes/go", "");
  assert.deepEqual(await Promise.all([first, third]), ["went", "went"]);
  assert.equal(await world.call("quick"), "done", "it is loaded again");
});

Deno.test("HostPool kills a released process that does not exit within a second", async () => {
  await using world = openPool({ maxProcesses: 1 });
  const { pool, acquire, clock, started } = world;
  pool.release(await acquire());
  const next = acquire();
  await clock.advance(999);
  assert.deepEqual(started.map(({ hasEnded }) => hasEnded), [false]);
  await clock.advance(1);
  await next;
  assert.deepEqual(started.map(({ hasEnded }) => hasEnded), [true, false]);
});

Deno.test("HostPool kills a process whose start is aborted or takes too long", async () => {
  await using world = openPool();
  const { acquire, clock, started } = world;
  const silent = () => {
    const host = new ShellHost();
    host.next = () => new Promise(() => {});
    started.push(host);
    return Promise.resolve(host);
  };
  const { signal } = new AbortController();
  const late = failureOf(world.pool.acquire("one", silent, signal));
  await until(() => clock.awaits(20_000), "the start");
  await clock.advance(20_000);
  assert.equal(await late, "The tool could not be started: its process does not answer.");
  const stop = new AbortController();
  const reason = new Error("cancelled");
  const aborted = acquire("one", 0, stop).catch((error: unknown) => error);
  stop.abort(reason);
  assert.equal(await aborted, reason);
  for (const host of started) await until(() => host.hasEnded, "the end");
});

Deno.test("disposing of HostPool ends busy and released processes", async () => {
  await using world = openPool();
  const { pool, acquire, started } = world;
  await acquire("one");
  pool.release(await acquire("two"));
  await pool[Symbol.asyncDispose]();
  assert.deepEqual(started.map(({ hasEnded }) => hasEnded), [true, true]);
  assert.match(await failureOf(acquire("one")), /The service is stopping/);
});

Deno.test("disposing of HostPool tries again to end a process, and reports the error", async () => {
  for (const failures of [1, 2]) {
    const { pool, acquire, clock, started } = openPool();
    pool.release(await acquire("one", failures));
    const [process] = started;
    assert.ok(process !== undefined);
    await clock.advance(1_000);
    await settle();
    assert.deepEqual([process.attempts, process.hasEnded], [1, false]);
    const ending = pool[Symbol.asyncDispose]();
    if (failures === 1) await ending;
    else await assert.rejects(ending, /no signal may be sent/);
    if (failures === 2) await process.kill();
    await process.ended;
  }
});
