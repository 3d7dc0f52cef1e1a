// Tests the number, the owners and the ends of host processes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { systemProcesses } from "../../../../cli/context/processes.ts";
import { HostPool } from "../../../../runtime/tools/custom/host_pool.ts";
import { HostProcess } from "../../../../runtime/tools/custom/host_process.ts";
import { settle, TestClock } from "../../../support/test_clock.ts";
import { until, untilGone } from "../../../support/until.ts";
import { failureOf, refusalOf } from "../files/sandbox_fixture.ts";
import { ToolWorld, WAITER } from "./tool_world.ts";

Deno.test("HostPool starts one process per concurrent call, up to the limit, and reuses them", async () => {
  await using world = await ToolWorld.open({ processes: { max: 4 } });
  const tools = await world.openModule("counting", {
    pid: `await new Promise((resolve) => setTimeout(resolve, args.ms)); return Deno.pid;`,
    count: `const kept = globalThis as any; kept.calls = (kept.calls ?? 0) + 1; return kept.calls;`,
  });
  const opened = world.starts;
  const first = await world.run(tools.pid);
  assert.equal(world.starts, opened + 1);
  for (let i = 0; i < 3; i++) assert.equal(await world.run(tools.pid), first);
  const again = await world.openTools("counting");
  assert.equal(await world.run(again[1] ?? tools.pid), first);
  assert.equal(world.starts, opened + 1);
  const counted = [await world.run(tools.count), await world.run(tools.count)];
  assert.deepEqual(counted, ["1", "1"], "nothing in memory outlives a call");
  const pids = await Promise.all(Array.from({ length: 6 }, () => world.run(tools.pid, { ms: 50 })));
  assert.equal(new Set(pids).size, 2);
  assert.equal(world.starts, opened + 2);
});

Deno.test("hanging tools of one execution do not block the tools of another", async () => {
  await using world = await ToolWorld.open({ processes: { max: 2 } });
  await world.fixture.write("notes/a.txt", "");
  const { waiter, quick } = await world.openModule("all", {
    waiter: WAITER,
    quick: `return "done";`,
  });
  const hanging = Array.from({ length: 3 }, () => world.run(waiter, {}, { executionId: 1 }));
  await until(() => world.logged.length === 1, "as many hang as may");
  assert.equal(await world.run(quick, {}, { executionId: 2 }), "done");
  assert.equal(world.logged.length, 1);
  await world.fixture.write("notes/go", "");
  assert.deepEqual(await Promise.all(hanging), hanging.map(() => "went"));
});

Deno.test("a call's time limit starts with its process, and a call without a process fails", async () => {
  const clock = new TestClock();
  await using world = await ToolWorld.open({ clock, processes: { max: 1 } });
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
  const clock = new TestClock();
  await using world = await ToolWorld.open({ clock, processes: { max: 1, idleMs: 60_000 } });
  const pid = `return Deno.pid;`;
  const tools = await world.openModule("pids", {
    one: pid,
    two: [pid, `permissions: { env: ["TWO"] },`],
  });
  const one = Number(await world.run(tools.one));
  const two = Number(await world.run(tools.two));
  assert.notEqual(one, two);
  assert.equal(await systemProcesses.isAlive(one), false);
  await clock.advance(59_000);
  assert.equal(await systemProcesses.isAlive(two), true);
  await clock.advance(1_000);
  await untilGone(two);
});

Deno.test("disposing of HostPool ends busy and idle processes", async () => {
  await using world = await ToolWorld.open();
  await world.writeTool(
    "pid",
    `context.log("pid " + Deno.pid); await context.resolvePath("."); if (args.wait) await new Promise(() => {});`,
  );
  const tool = await world.openTool("pid");
  const busy = failureOf(world.run(tool, { wait: true }));
  await world.run(tool);
  await until(() => world.logged.length === 2, "both calls run");
  const pids = new Set(world.logged.map((line) => Number(line.split(" ").at(-1))));
  assert.equal(pids.size, 2);
  await world.tools[Symbol.asyncDispose]();
  assert.match(await busy, /was stopped before it had a result/);
  for (const pid of pids) assert.equal(await systemProcesses.isAlive(pid), false);
  assert.match(await failureOf(world.run(tool)), /The service is stopping/);
});

/** A process whose end fails a given number of times. */
class StubbornProcess extends HostProcess {
  failures: number;
  attempts = 0;

  /** Starts a shell that answers like a host process. */
  constructor(failures: number) {
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

Deno.test("disposing of HostPool tries again to end a process, and reports the error", async () => {
  for (const failures of [1, 2]) {
    const clock = new TestClock();
    const pool = new HostPool({ clock, idleMs: 60_000 });
    const process = new StubbornProcess(failures);
    const request = { key: "k", owner: "o", start: () => Promise.resolve(process) };
    pool.release(await pool.acquire(request, new AbortController().signal));
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
