// Tests the number, the owners and the ends of host processes. Most tests use shells that answer like host processes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { HostPool, type HostPoolOptions } from "../../../../runtime/tools/custom/host_pool.ts";
import { HostProcess } from "../../../../runtime/tools/custom/host_process.ts";
import { settle, TestClock } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";
import { failureOf, refusalOf } from "../files/sandbox_fixture.ts";
import { ToolWorld, WAITER } from "./tool_world.ts";

/** A shell that answers pings like a host process. Its first `failures` ends fail. */
class ShellHost extends HostProcess {
  failures: number;
  attempts = 0;

  constructor(failures = 0) {
    const script = `while read -r line; do
      mark=$(printf %s "$line" | sed -n 's/.*"mark":"\\([^"]*\\)".*/\\1/p'); all=$all$mark
      printf '\\n%s{"type":"pong"}\\n' "$all"; done`;
    const environment = { PATH: "/usr/bin:/bin" };
    super({ command: { program: "sh", args: ["-c", script], cwd: "/", environment }, keeps: [] });
    this.failures = failures;
  }

  override async kill(): Promise<void> {
    if (++this.attempts <= this.failures) throw new Error("no signal may be sent");
    await super.kill();
  }
}

/** Opens a pool of shells. Its `acquire` returns a process for a key and an owner. */
function openPool(options: Omit<HostPoolOptions, "clock"> = {}) {
  const clock = new TestClock();
  const pool = new HostPool({ clock, ...options });
  const started: ShellHost[] = [];
  return {
    clock,
    pool,
    started,
    acquire: (key: string, owner = "one", failures = 0) =>
      pool.acquire({
        key,
        owner,
        start: () => {
          const host = new ShellHost(failures);
          started.push(host);
          return Promise.resolve(host);
        },
      }, new AbortController().signal),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

Deno.test("HostPool starts one process per concurrent call, up to the limit, and reuses them", async () => {
  await using world = openPool({ maxProcesses: 4 });
  const { pool, acquire, started } = world;
  const first = await acquire("a");
  for (let i = 0; i < 3; i++) {
    pool.release(first);
    assert.equal(await acquire("a"), first);
  }
  pool.release(first);
  const calls = Array.from({ length: 6 }, () =>
    acquire("a").then(async (process) => {
      await settle();
      pool.release(process);
      return process;
    }));
  // A single owner gets half of the processes.
  assert.equal(new Set(await Promise.all(calls)).size, 2);
  assert.equal(started.length, 2);
});

Deno.test("hanging tools of one execution do not block the tools of another", async () => {
  await using world = openPool({ maxProcesses: 2 });
  const { pool, acquire, started } = world;
  const hanging = await acquire("a", "one");
  const waiting = [acquire("a", "one"), acquire("a", "one")];
  const other = await acquire("b", "two");
  assert.equal(started.length, 2);
  pool.release(other);
  pool.release(hanging);
  for (const next of waiting) pool.release(await next);
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

Deno.test("HostPool ends a process that idles too long or whose place another tool needs", async () => {
  await using world = openPool({ maxProcesses: 1 });
  const { pool, acquire, clock } = world;
  const one = await acquire("a");
  pool.release(one);
  const two = await acquire("b");
  assert.equal(one.hasEnded, true);
  pool.release(two);
  await clock.advance(59_000);
  assert.equal(two.hasEnded, false);
  await clock.advance(1_000);
  await two.ended;
});

Deno.test("disposing of HostPool ends busy and idle processes", async () => {
  await using world = openPool();
  const { pool, acquire, started } = world;
  await acquire("a");
  pool.release(await acquire("b"));
  await pool[Symbol.asyncDispose]();
  assert.deepEqual(started.map(({ hasEnded }) => hasEnded), [true, true]);
  assert.match(await failureOf(acquire("a")), /The service is stopping/);
});

Deno.test("disposing of HostPool tries again to end a process, and reports the error", async () => {
  for (const failures of [1, 2]) {
    const { pool, acquire, clock, started } = openPool();
    pool.release(await acquire("a", "one", failures));
    const [process] = started;
    assert.ok(process !== undefined);
    await clock.advance(60_000);
    await settle();
    assert.deepEqual([process.attempts, process.hasEnded], [1, false]);
    const ending = pool[Symbol.asyncDispose]();
    if (failures === 1) await ending;
    else await assert.rejects(ending, /no signal may be sent/);
    if (failures === 2) await process.kill();
    assert.equal(process.hasEnded, true);
  }
});
