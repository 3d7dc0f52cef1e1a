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
  for (let round = 0; performance.now() - start < PATIENCE_MS; round++) {
    if (await condition()) return;
    // Only the work of other processes takes longer, which need the processor.
    if (round < 20) await settle();
    else await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`it never happened: ${what}`);
}
