// Tests that runProgram() ends an agent's program and its descendants.
import assert from "node:assert/strict";
import { join } from "node:path";
import { systemProcesses } from "../../../../cli/context/processes.ts";
import { SystemClock } from "../../../../base/clock.ts";
import type { ProgramEnd } from "../../../../runtime/tools/processes/run_program.ts";
import type { RunProgramOptions } from "../../../../runtime/tools/processes/run_program.ts";
import { runProgram } from "../../../../runtime/tools/processes/run_program.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";
import { smallEnvironment } from "../../../../runtime/tools/processes/small_environment.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { withTempDir } from "../../../support/temp_dir.ts";
import { until } from "../../../support/until.ts";

const TOKEN = { name: "APP_TOKEN", value: "sekret-value-1234567890" };
/** A time limit that no program in these tests reaches, in milliseconds. */
const PATIENT_MS = 60_000;

function shell(script: string, options: Partial<RunProgramOptions> = {}): Promise<ProgramEnd> {
  return runProgram("sh", {
    args: ["-c", script],
    cwd: "/",
    environment: smallEnvironment((name) => Deno.env.get(name)),
    timeoutMs: PATIENT_MS,
    maxOutputBytes: 10_000,
    signal: new AbortController().signal,
    clock: new SystemClock(),
    redactor: new Redactor(() => [TOKEN]),
    killGraceMs: 100,
    ...options,
  });
}

/** Waits until a script has written `count` process ids into a file, one per line. Returns them. */
async function pidsIn(file: string, count: number): Promise<number[]> {
  let pids: number[] = [];
  await until(async () => {
    const text = await Deno.readTextFile(file).catch(() => "");
    pids = text.split("\n").filter((line) => line !== "").map(Number);
    return pids.length === count && text.endsWith("\n");
  }, `${count} process ids in ${file}`);
  return pids;
}

async function allGone(pids: readonly number[]): Promise<boolean> {
  const alive = await Promise.all(pids.map((pid) => systemProcesses.isAlive(pid)));
  return !alive.includes(true);
}

Deno.test("runProgram() removes a part of a secret at a cut from both streams", async () => {
  const characters = await shell("printf 'ääääää'", { maxOutputBytes: 5 });
  assert.equal(characters.stdout, "ää", "no half of a character either");
  const { length } = TOKEN.value;
  for (const room of [1, 12, length + 1, 2 * length - 1]) {
    for (const stream of [1, 2]) {
      const end = await shell(`printf 'x${TOKEN.value}${TOKEN.value}' >&${stream}`, {
        maxOutputBytes: room,
      });
      const whole = Math.floor((room - 1) / TOKEN.value.length);
      assert.equal(end.stdout + end.stderr, `x${TOKEN.value.repeat(whole)}`);
    }
  }
  const short = await shell(`printf 'no token: sekret'`);
  assert.equal(short.stdout, "no token: sekret", "what was not cut stays whole");
  const killed = await shell(`printf 'x sekret-value-123'; kill -9 $$`);
  assert.equal(killed.stdout, "x ", "a signal cut in");
});

Deno.test("runProgram() kills a script that ignores SIGTERM, and its descendants", () =>
  withTempDir(async (folder) => {
    const file = join(folder, "pids");
    const clock = new TestClock();
    const work = shell(
      `trap '' TERM
       echo started
       sh -c 'echo $$ >> ${file}; sleep 1000 & echo $! >> ${file}; wait' &
       # Twice forked: its parent is gone, so only the group still leads to it.
       (sh -c 'echo $$ >> ${file}; sleep 1000; echo never' &)
       echo $$ >> ${file}; wait; sleep 1000`,
      { timeoutMs: 30_000, killGraceMs: 2_000, clock },
    );
    const pids = await pidsIn(file, 4);
    await clock.advance(30_000);
    assert.equal(await allGone(pids), false);
    await clock.advance(2_000);
    const end = await work;
    assert.deepEqual([end.timedOut, end.exitCode, end.stdout], [true, null, "started\n"]);
    await until(() => allGone(pids), "every process of the script is gone");
  }));

Deno.test("runProgram() lets a script handle SIGTERM and exit", () =>
  withTempDir(async (folder) => {
    const file = join(folder, "pids");
    const clock = new TestClock();
    const work = shell(
      `trap 'echo bye; exit 0' TERM; echo hi; echo $$ > ${file}; sleep 1000 & wait`,
      { timeoutMs: 30_000, clock },
    );
    await pidsIn(file, 1);
    await clock.advance(30_000);
    const end = await work;
    assert.deepEqual([end.timedOut, end.exitCode, end.stdout], [true, null, "hi\nbye\n"]);
  }));

Deno.test("runProgram() does not wait for a process outside the group that holds the output open", () =>
  withTempDir(async (folder) => {
    const file = join(folder, "pids");
    const end = await shell(`setsid sh -c 'echo $$ >> ${file}; exec sleep 1000' & 
      while [ ! -s ${file} ]; do sleep 0.01; done; echo done`);
    const [pid = 0] = await pidsIn(file, 1);
    // The process left the group, so it is alive, but runProgram() did not wait for it.
    assert.equal(await systemProcesses.isAlive(pid), true);
    Deno.kill(pid, "SIGKILL");
    assert.deepEqual([end.exitCode, end.stdout], [0, "done\n"]);
  }));

Deno.test("runProgram() throws the signal's reason after every process has ended", () =>
  withTempDir(async (folder) => {
    const file = join(folder, "pids");
    const stop = new AbortController();
    const work = shell(`trap '' TERM; echo $$ >> ${file}; sleep 1000`, { signal: stop.signal });
    const outcome = work.then(() => "ended", (error: unknown) => error);
    const pids = await pidsIn(file, 1);
    const reason = new Error("cancelled");
    stop.abort(reason);
    assert.equal(await outcome, reason);
    assert.equal(await allGone(pids), true);
    await assert.rejects(shell("echo no", { signal: stop.signal }), reason, "it starts nothing");
  }));
