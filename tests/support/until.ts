// Waits for the effects of real input and output, which take an unknown time.
import assert from "node:assert/strict";
import process from "node:process";
import { systemProcesses } from "../../cli/context/processes.ts";
import { settle } from "./test_clock.ts";

/** Much longer than any expected wait: only a failing test waits so long. */
const PATIENCE_MS = 60_000;

/** Waits until the condition is true. Fails the test after PATIENCE_MS. `pause` is the wait between the first checks. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  pause: () => Promise<void> = settle,
): Promise<void> {
  const start = performance.now();
  for (let round = 0; performance.now() - start < PATIENCE_MS; round++) {
    if (await condition()) return;
    // After 20 rounds the test waits for another process, and polls less often to leave it the processor.
    if (round < 20) await pause();
    else await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`it never happened: ${what}`);
}

/**
 * Waits until a process has ended. Mostly asks only for its id, because the check for a zombie starts a program, which costs
 * more than the wait.
 */
export async function untilGone(pid: number): Promise<void> {
  let rounds = 0;
  await until(async () => {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    return ++rounds % 20 === 0 && !await systemProcesses.isAlive(pid);
  }, `process ${pid} is gone`);
}
