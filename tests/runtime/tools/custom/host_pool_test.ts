// The pool of host processes where one of them cannot be ended.
import assert from "node:assert/strict";
import { HostPool } from "../../../../runtime/tools/custom/host_pool.ts";
import { HostProcess } from "../../../../runtime/tools/custom/host_process.ts";
import { hostCommand, ownProgram } from "../../../../runtime/tools/custom/host_program.ts";
import { denoDirectory } from "../../../support/repository.ts";
import { settle, TestClock } from "../../../support/test_clock.ts";

/** A process whose end fails as often as told. */
class StubbornProcess extends HostProcess {
  failures: number;
  attempts = 0;

  constructor(failures: number) {
    const host = ownProgram();
    const command = hostCommand(host, {
      role: "tools",
      args: [],
      permissions: { read: [], write: [], net: [], env: [] },
      closed: { read: [], write: [] },
      lookup: (name) => name === "DENO_DIR" ? denoDirectory() : undefined,
      variables: {},
    });
    super({ command: { ...command, program: host.program, cwd: "/" }, keeps: [] });
    this.failures = failures;
  }

  override async end(): Promise<void> {
    if (++this.attempts <= this.failures) throw new Error("no signal may be sent");
    await super.end();
  }
}

async function idleProcess(failures: number, clock: TestClock) {
  const pool = new HostPool({ clock, idleMs: 60_000 });
  const process = new StubbornProcess(failures);
  const request = { key: "k", owner: "o", start: () => Promise.resolve(process) };
  pool.giveBack(await pool.take(request, new AbortController().signal));
  await clock.advance(60_000);
  await settle();
  return { pool, process };
}

Deno.test("HostPool tries again to end an idle process that could not be ended", async () => {
  const { pool, process } = await idleProcess(1, new TestClock());
  assert.deepEqual([process.attempts, process.gone], [1, false]);
  await pool[Symbol.asyncDispose]();
  assert.deepEqual([process.attempts, process.gone], [2, true]);
});

Deno.test("HostPool reports at its end why a process cannot be ended", async () => {
  const { pool, process } = await idleProcess(2, new TestClock());
  await assert.rejects(pool[Symbol.asyncDispose](), /no signal may be sent/);
  await process.end();
});
