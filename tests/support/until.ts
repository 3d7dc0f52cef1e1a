// Waits for something that real input and output bring about, without knowing how long it takes.
import assert from "node:assert/strict";
import { settle } from "./test_clock.ts";

/** Far more than anything here takes: only a failure waits so long. */
const PATIENCE_MS = 60_000;

/** Lets everything run on until the condition holds; fails when it does not come to hold. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  const start = performance.now();
  while (performance.now() - start < PATIENCE_MS) {
    if (await condition()) return;
    await settle();
  }
  assert.fail(`it never happened: ${what}`);
}
