// Waits for the effects of real input and output, which take an unknown time.
import assert from "node:assert/strict";
import process from "node:process";
import { systemProcesses } from "../../cli/context/processes.ts";
import { settle } from "./test_clock.ts";

/** Much longer than any expected wait: only a failing test waits so long. */
const PATIENCE_MS = 60_000;

/** The share of the time so far that a pause takes after 60 checks, and the longest pause in milliseconds. */
const PAUSE_SHARE = 1 / 20;
const LONGEST_PAUSE_MS = 50;

/**
 * Waits until the condition is true. Fails the test after PATIENCE_MS. `pause` is the wait between the first checks. With
 * `none`, nothing pauses between checks, because the condition itself takes time: for example, it advances a clock.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  pause: (() => Promise<void>) | "none" = settle,
): Promise<void> {
  const start = performance.now();
  for (let round = 0;; round++) {
    if (await condition()) return;
    const passed = performance.now() - start;
    if (passed > PATIENCE_MS) break;
    if (pause === "none") continue;
    // A check takes processor time, which other threads and processes need. The longer the wait, the fewer checks.
    if (round < 20) await pause();
    else {
      const ms = round < 60 ? 5 : Math.min(LONGEST_PAUSE_MS, passed * PAUSE_SHARE);
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }
  assert.fail(`it never happened: ${what}`);
}

/**
 * Waits until a process has ended. Mostly asks only for its id, because the check for a zombie starts a program, which costs
 * more than the wait. `onRound` is called before each check.
 */
export async function untilGone(
  pid: number,
  onRound: () => void | Promise<void> = () => {},
): Promise<void> {
  let rounds = 0;
  await until(async () => {
    await onRound();
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    return ++rounds % 20 === 0 && !await systemProcesses.isAlive(pid);
  }, `process ${pid} is gone`);
}
